// What messages disclose of a take. The switches are beside the messages: `ClientRequest.disclosed`, `EngineReply.withoutLinks` and
// `EngineEvent.withoutLinks`. None has a default: a new message does not compile without its line.
import KineMedia

/// The kinds of a person's data that a take captures.
public struct CapturedKinds: Sendable, Equatable {
    /// The kinds that the take captures now.
    public private(set) var now: Set<PermissionKind>
    /// The kinds that the take captures, or has ever captured.
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
        // The microphone may be mixed into the application audio.
        if appAudio != nil { kinds.formUnion([.screen, .microphone]) }
        if micAudio != nil { kinds.insert(.microphone) }
        kinds.formIntersection(captured)
        // The camera may be a file now, and a device later.
        if case .camera = video { kinds.insert(.camera) }
        return kinds
    }
}

extension AudioLevels {
    /// The kinds that the levels disclose of a take that captures these. The microphone can be turned on later.
    package static func disclosed(of captured: Set<PermissionKind>) -> Set<PermissionKind> {
        captured.intersection([.screen]).union([.microphone])
    }

    /// The levels for a program that may not have these kinds.
    package func without(_ kinds: Set<PermissionKind>) -> AudioLevels {
        AudioLevels(
            app: kinds.contains(.screen) ? nil : app, microphone: kinds.contains(.microphone) ? nil : microphone)
    }
}

extension TakeConfiguration {
    /// The kinds that the take captures from its start.
    public var capturedKinds: Set<PermissionKind> {
        var kinds: Set<PermissionKind> = source.showsDesktop ? [.screen] : []
        if audio.microphone != .none, !audio.isMicrophoneOff { kinds.insert(.microphone) }
        if video.camera?.showsPerson == true { kinds.insert(.camera) }
        return kinds
    }
}

extension TakeConfiguration.Source {
    /// Whether the source is on a person's desktop.
    public var showsDesktop: Bool {
        switch self {
        case .screen, .region, .drawnRegion, .window, .focusedWindow, .windowTitled, .chosenWindow, .application: true
        case .commandWindow(let window): window.privateScreen == nil
        case .virtual, .virtualWayland, .pattern: false
        }
    }
}

extension TakeConfiguration.Camera {
    /// Whether the camera is a device, which can show a person. A file or a generated picture cannot.
    public var showsPerson: Bool { device != "pattern" && (!device.hasPrefix("/") || device.hasPrefix("/dev/")) }
}

// Messages for a program that may not see what the take captures: without links, without the title of a window, and without
// services' own words except problems, since those may contain a link or a key.

extension EngineMessage {
    /// Nil if nothing of the message remains.
    ///
    /// - Parameter reason: why links and words are omitted, for `TakeStatus.withheld`.
    public func withoutLinks(_ reason: String) -> EngineMessage? {
        switch self {
        case .answer(_, .failure): self
        case .answer(let id, .success(let reply)): .answer(id: id, .success(reply.withoutLinks(reason)))
        case .event(let event): event.withoutLinks.map(EngineMessage.event)
        }
    }
}

extension TakeProgress {
    var withoutLinks: TakeProgress {
        var progress = self
        progress.destinations = destinations.map(\.withoutLinks)
        return progress
    }
}

extension DestinationStatus {
    var withoutLinks: DestinationStatus {
        var status = self
        (status.link, status.playerLink, status.state, status.serviceInfo) = (nil, nil, nil, nil)
        return status
    }
}
