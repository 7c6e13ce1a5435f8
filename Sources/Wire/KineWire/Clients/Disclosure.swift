// What an answer or an event gives away of what a take captures, and which kinds there are: `ClientRequest.disclosed`
// says it of each request. No switch over messages has a default: a new message does not compile without its line.
import KineMedia

/// The kinds of a person's things that a take captures.
public struct CapturedKinds: Sendable, Equatable {
    /// Those that it captures now.
    public private(set) var now: Set<PermissionKind>
    /// Those that it captures, or has captured at any time.
    public private(set) var ever: Set<PermissionKind>

    public init(_ kinds: Set<PermissionKind> = []) { (now, ever) = (kinds, kinds) }

    public mutating func set(_ kind: PermissionKind, isOn: Bool) {
        if isOn { now.insert(kind) } else { now.remove(kind) }
        ever.formUnion(now)
    }
}

extension SampleRequest {
    func disclosed(of captured: Set<PermissionKind>) -> Set<PermissionKind> {
        var kinds: Set<PermissionKind> = []
        switch video {
        case .raw, .encoded: kinds = [.screen, .camera]
        case .camera, nil: break
        }
        // The microphone may be mixed into it.
        if appAudio != nil { kinds.formUnion([.screen, .microphone]) }
        if micAudio != nil { kinds.insert(.microphone) }
        kinds.formIntersection(captured)
        // A file may be in a camera's place now, and a camera later.
        if case .camera = video { kinds.insert(.camera) }
        return kinds
    }
}

extension TakeConfiguration {
    /// The kinds that the take captures from its beginning.
    public var capturedKinds: Set<PermissionKind> {
        var kinds: Set<PermissionKind> = source.showsDesktop ? [.screen] : []
        if audio.microphone != .none, !audio.isMicrophoneOff { kinds.insert(.microphone) }
        if video.camera?.showsPerson == true { kinds.insert(.camera) }
        return kinds
    }
}

extension TakeConfiguration.Source {
    /// Whether what is captured is on a person's desktop.
    public var showsDesktop: Bool {
        switch self {
        case .screen, .region, .drawnRegion, .window, .focusedWindow, .windowTitled, .chosenWindow, .application: true
        case .commandWindow(let window): window.privateScreen == nil
        case .virtual, .virtualWayland, .pattern: false
        }
    }
}

extension TakeConfiguration.Camera {
    /// Whether it is a device, which can show a person. A file or a generated picture cannot.
    public var showsPerson: Bool { device != "pattern" && (!device.hasPrefix("/") || device.hasPrefix("/dev/")) }
}

// What a program gets that may not have what the take captures: no links, and nothing that services say in their own
// words but for problems, since that may hold a link or a key.

extension EngineMessage {
    /// Nil: nothing is left of the message.
    ///
    /// - Parameter reason: why links and words are left out, for `TakeStatus.withheld`.
    public func withoutLinks(_ reason: String) -> EngineMessage? {
        switch self {
        case .answer(_, .failure): self
        case .answer(let id, .success(let reply)): .answer(id: id, .success(reply.withoutLinks(reason)))
        case .event(let event): event.withoutLinks.map(EngineMessage.event)
        }
    }
}

extension EngineReply {
    fileprivate func withoutLinks(_ reason: String) -> EngineReply {
        switch self {
        case .done, .destinationAdded, .destinationRemoved, .clip: return self
        case .status(var status):
            let progress = status.progress.withoutLinks
            if progress != status.progress { status.withheld = reason }
            status.progress = progress
            return .status(status)
        }
    }
}

extension EngineEvent {
    fileprivate var withoutLinks: EngineEvent? {
        switch self {
        case .progress(let progress): return .progress(progress.withoutLinks)
        case .destination(var event):
            event.status = event.status?.withoutLinks
            switch event.kind {
            case .link, .playerLink, .state, .log, .serviceInfo: return nil
            case .phase, .warning, .memoryWarning, .restarting, .ended: return .destination(event)
            }
        case .finished(var summary):
            summary.progress = summary.progress.withoutLinks
            return .finished(summary)
        case .failed(var failure):
            if let progress = failure.summary?.progress { failure.summary?.progress = progress.withoutLinks }
            return .failed(failure)
        case .started, .commandNeeded, .paused, .resumed, .microphone, .sourceSwitched, .camera, .screenLocked,
            .permissionQuestion, .warning, .samples, .frames, .dismissed:
            return self
        }
    }
}

extension TakeProgress {
    fileprivate var withoutLinks: TakeProgress {
        var progress = self
        progress.destinations = destinations.map(\.withoutLinks)
        return progress
    }
}

extension DestinationStatus {
    fileprivate var withoutLinks: DestinationStatus {
        var status = self
        (status.link, status.playerLink, status.state, status.serviceInfo) = (nil, nil, nil, nil)
        return status
    }
}
