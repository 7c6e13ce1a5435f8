// Connects a take's extensions with the desktop, and tells the person of destinations that go live or end.
import KinePlatform
import KineWire

extension EngineHost {
    /// Tells the person that a broadcast arrives, and that one has ended unasked. The first is of low urgency: a banner would be in
    /// the picture.
    func tellPerson(_ event: DestinationEvent, at now: Int64) {
        guard desktop?.isIndicatorWanted == true, let desktopServices else { return }
        switch event.kind {
        case .phase(.live) where liveDestinations.insert(event.destination).inserted:
            desktopServices.tell(
                "\(event.label): live", "The broadcast has begun.", destination: event.destination, urgency: .low,
                at: now)
        case .ended(let ending):
            guard let sentence = ending.sentence else { return }
            desktopServices.tell(
                "\(event.label): ended", sentence, destination: event.destination, urgency: .normal, at: now)
        default: break
        }
    }
}

extension DestinationEnding {
    /// For a person at the desktop; nil where the ending was asked for.
    fileprivate var sentence: String? {
        switch self {
        case .finished: nil
        case .failed(let reason): reason
        case .crashed(let how): "Its program crashed (\(how))."
        case .memoryLimitExceeded(_, let limit): "Its program used more memory than its \(limit >> 20) MiB."
        case .stalled(let how): "Its program stopped working: it \(how)."
        }
    }
}
