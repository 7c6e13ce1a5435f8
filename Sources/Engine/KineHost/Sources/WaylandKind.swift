// Screens and regions of a Wayland compositor that lets its clients copy them.
import KineCapture
import KineMedia
import KinePlatform
import KineTake
import KineWayland

struct WaylandKind: SourceKind {
    /// Nil: a region that the person draws.
    let target: WaylandScreenSource.Target?
    let display: String
    private let warn: @Sendable (String) -> Void

    init?(_ request: SourceRequest) {
        switch request.source {
        case .screen(let monitor?): target = .monitor(monitor)
        case .screen(nil): target = .desktop
        case .region(let rect): target = .region(rect)
        case .drawnRegion: target = nil
        default: return nil
        }
        guard case .compositor(let display) = request.backend else { return nil }
        self.display = display
        warn = request.warn
    }

    func open(
        _ video: TakeConfiguration.Video, _ cancellation: Cancellation
    ) throws(VideoSourceError) -> any VideoSourceOpening {
        guard let target else {
            try video.checkForCopies()
            return try WaylandRegionOpening(display: display) { [display] region throws(VideoSourceError) in
                try WaylandScreenOpening(.region(region), display: display, video)
            }
        }
        return try WaylandScreenOpening(target, display: display, video, warn: warn)
    }

    var annotation: [String: String] {
        switch target {
        case .desktop: [SourceAnnotation.source: "screen"]
        case .monitor(let name): [SourceAnnotation.source: "screen", SourceAnnotation.monitor: name]
        case .region, nil: [SourceAnnotation.source: "region"]
        }
    }

    static func monitors() -> [SourceList.Monitor] {
        WaylandSession.compositor.flatMap { try? WaylandInventory(display: $0) }?.monitors ?? []
    }

    static func survey(_ list: inout SourceList) {
        guard let display = WaylandSession.compositor else { return }
        do throws(VideoSourceError) {
            let inventory = try WaylandInventory(display: display)
            list.monitors = inventory.monitors
            if inventory.copyProtocol != nil { list.screenBackend = .wlr }
        } catch {
            list.problems.append(error.sentence)
        }
    }

    static func check() -> DoctorCheck? {
        guard let display = WaylandSession.compositor else { return nil }
        do throws(VideoSourceError) {
            let inventory = try WaylandInventory(display: display)
            guard let copyProtocol = inventory.copyProtocol else { return nil }  // the portal has it
            let outputs = inventory.outputs.map { "\($0.name) \($0.uprightSize.width)x\($0.uprightSize.height)" }
            return .passed(
                "display",
                "Wayland by \(copyProtocol.rawValue): \(outputs.joined(separator: ", "))\(Doctor.compositor(inventory))"
            )
        } catch {
            return .failed(
                "display", sentence: error.sentence,
                remedy: "log in again, or use --virtual 1280x720 -- COMMAND")
        }
    }
}

extension WaylandInventory {
    fileprivate var monitors: [SourceList.Monitor] {
        outputs.map { output in
            // Some compositors end it with the connector, which is the name.
            let ending = " (\(output.name))"
            let words = output.description
            let description = words.hasSuffix(ending) ? String(words.dropLast(ending.count)) : words
            return SourceList.Monitor(
                name: output.name, bounds: output.bounds, isPrimary: false,
                description: description.isEmpty ? nil : description)
        }
    }
}

extension WaylandScreenOpening {
    /// Opens a target with the take's settings. Throws if they need a feature that no compositor has.
    convenience init(
        _ target: WaylandScreenSource.Target, display: String, _ video: TakeConfiguration.Video,
        warn: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(VideoSourceError) {
        try video.checkForCopies()
        try self.init(target, display: display, showsCursor: video.showsCursor, warn: warn)
    }
}

extension TakeConfiguration.Video {
    /// Throws if the settings need a feature that no compositor has, or none that draws the pointer itself.
    fileprivate func checkForCopies() throws(VideoSourceError) {
        try checkForWayland()
        if cursorScale != 1 { throw .notOnWayland(.largerCursor) }
    }
}
