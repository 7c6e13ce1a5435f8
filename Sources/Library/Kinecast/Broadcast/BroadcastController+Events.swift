// The events of a controller, for its event sequences and its delegate.
import FoundationEssentials
import KineWire

/// A line of an extension's log.
public typealias ExtensionLogLine = KineWire.ExtensionLogLine

/// A destination of a broadcast: its number, phase, connections, memory and losses.
public typealias BroadcastDestination = KineWire.DestinationStatus

extension BroadcastController {
    public enum Event: Sendable, Equatable, CustomStringConvertible {
        /// The broadcast begins in this many seconds, unless it is cancelled.
        case countdown(Int)
        /// The service receives the broadcast.
        case live
        /// The connection is lost, and the service tries again. The reason is a sentence, if it is known.
        case reconnecting(String?)
        case paused
        case resumed
        /// The screen was locked or unlocked. A broadcast of a real screen pauses meanwhile.
        case screenLocked(Bool)
        /// The broadcast can now be watched at this address.
        case broadcastURLChanged(URL)
        /// The service has sent new information.
        case serviceInfoChanged([String: String])
        /// A line that a service's extension wrote into its log. For developers, not for the person.
        case log(ExtensionLogLine, service: String)
        /// Once a second: the current destinations, with statistics and the age of the last heartbeat.
        case statistics([BroadcastDestination])
        /// A sentence for the person about a problem that does not end the broadcast.
        case warning(String)
        /// The last service has ended; the recording goes on until `finishBroadcast`.
        case serviceEnded(BroadcastError)
        /// The last event of a broadcast. `error` is nil if the app or another program finished it, and `userStopped`
        /// if the person stopped it at the desktop. `preview` is the recording made beside it, if any.
        case finished(preview: RecordingPreview?, error: BroadcastError?)

        public var description: String {
            switch self {
            case .countdown(let seconds): "begins in \(seconds) s"
            case .live: "live"
            case .reconnecting(let reason): "reconnecting" + detail(reason)
            case .paused: "paused"
            case .resumed: "resumed"
            case .screenLocked(let isLocked): isLocked ? "screen locked" : "screen unlocked"
            case .broadcastURLChanged(let url): "watch at \(url.absoluteString)"
            case .serviceInfoChanged(let info):
                "service info " + info.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            case .log(let line, let service): "\(service): \(line.level.rawValue): \(line.message)"
            case .statistics(let destinations):
                "statistics: " + destinations.map(DestinationSentences.summary).joined(separator: " ")
            case .warning(let sentence): "warning: \(sentence)"
            case .serviceEnded(let error): "service ended" + detail(error)
            case .finished(let preview, let error): "finished" + detail(preview) + detail(error)
            }
        }
    }
}

/// Receives a controller's events, one call at a time. Each method does nothing unless it is implemented.
///
/// A method may be implemented with or without `async`. A class on the main actor, or an actor, is called there; any other object on any
/// thread.
public protocol BroadcastControllerDelegate: AnyObject, Sendable {
    /// The broadcast has ended. `error` is nil if the app or another program finished it.
    func broadcastController(
        _ broadcastController: BroadcastController, didFinishWith preview: RecordingPreview?, error: BroadcastError?
    ) async

    /// The same call in ReplayKit's form; `error` is a `BroadcastError`. Both methods are called.
    func broadcastController(_ broadcastController: BroadcastController, didFinishWithError error: (any Error)?) async

    /// The service has sent new information.
    func broadcastController(
        _ broadcastController: BroadcastController, didUpdateServiceInfo serviceInfo: [String: String]
    ) async

    /// The broadcast can now be watched at this address.
    func broadcastController(_ broadcastController: BroadcastController, didUpdateBroadcast broadcastURL: URL) async
}

extension BroadcastControllerDelegate {
    public func broadcastController(
        _ broadcastController: BroadcastController, didFinishWith preview: RecordingPreview?, error: BroadcastError?
    ) async {}

    public func broadcastController(
        _ broadcastController: BroadcastController, didFinishWithError error: (any Error)?
    ) async {}

    public func broadcastController(
        _ broadcastController: BroadcastController, didUpdateServiceInfo serviceInfo: [String: String]
    ) async {}

    public func broadcastController(
        _ broadcastController: BroadcastController, didUpdateBroadcast broadcastURL: URL
    ) async {}
}
