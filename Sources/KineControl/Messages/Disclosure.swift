// What each message gives away of what a take captures. Neither switch has a default: a new message does not compile without its line.

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

extension ClientMessage {
    /// The permissions that a program needs for this request, where the take captures these kinds.
    public func disclosed(of captured: CapturedKinds) -> Set<PermissionKind> {
        switch self {
        // From the take's owner alone.
        case .start, .commandStarted, .permissionAnswer: []
        // Answered without links: `EngineMessage.withoutLinks`.
        case .status, .follow: []
        case .pause, .resume, .stop, .annotate, .removeDestination, .endSamples, .unknown: []
        case .setMicrophone(let isOn): isOn ? [.microphone] : []
        case .setCamera(let camera): camera?.showsPerson == true ? [.camera] : []
        case .switchSource: captured.now.intersection([.screen])
        case .receiveSamples(let request): request.disclosed(of: captured.now)
        case .receiveFrames, .addDestination, .renewLinks: captured.now
        case .exportClip: captured.ever
        }
    }
}

extension SampleRequest {
    fileprivate func disclosed(of captured: Set<PermissionKind>) -> Set<PermissionKind> {
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

extension EngineMessage {
    /// The message for a program that may not have what the take captures: without links, and without what services say in their own
    /// words but for problems, since that may hold a link or a key. Nil: nothing is left of it.
    ///
    /// - Parameter reason: why they are left out, for `TakeStatus.withheld`.
    public func withoutLinks(_ reason: String) -> EngineMessage? {
        switch self {
        case .destination(let event):
            switch event.kind {
            case .link, .playerLink, .state, .log, .serviceInfo: return nil
            case .phase, .warning, .memoryWarning, .restarting, .ended: return self
            }
        case .status(var status):
            let destinations = status.destinations.map(\.withoutLinks)
            if destinations != status.destinations { status.withheld = reason }
            status.destinations = destinations
            return .status(status)
        case .finished(let summary): return .finished(summary.withoutLinks)
        case .failed(var failure):
            failure.summary = failure.summary?.withoutLinks
            return .failed(failure)
        case .started, .commandNeeded, .progress, .paused, .resumed, .microphone, .sourceSwitched, .camera,
            .screenLocked, .permissionQuestion, .warning, .destinationAdded, .samples, .frames, .clip, .refused:
            return self
        }
    }
}

extension TakeSummary {
    fileprivate var withoutLinks: TakeSummary {
        var summary = self
        summary.destinations = destinations.map(\.withoutLinks)
        return summary
    }
}

extension DestinationStatus {
    fileprivate var withoutLinks: DestinationStatus {
        var status = self
        (status.link, status.playerLink, status.state, status.serviceInfo) = (nil, nil, nil, nil)
        return status
    }
}
