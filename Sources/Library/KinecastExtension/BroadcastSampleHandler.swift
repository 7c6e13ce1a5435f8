// The class that an upload extension subclasses and marks `@main`.
import KineMedia
import KineRings
import KineWire

/// Receives one broadcast.
///
///     @main final class Uploader: BroadcastSampleHandler {
///         override func processSampleBuffer(_ sampleBuffer: borrowing SampleBuffer, with type: SampleBufferType) async {
///             sampleBuffer.withPixels { pixels in … }
///         }
///     }
///
/// The engine starts the program for each broadcast, in its own process with a memory limit. The callbacks come in
/// order and one at a time, on a thread that is neither the main thread nor one of Swift's pool; each is awaited before
/// the next, and frames are skipped while one takes long. They may block: the thread is the handler's. All of them are
/// `async`; an override must be `async` too, even if it awaits nothing.
///
/// ## Topics
/// - Callbacks: `broadcastStarted(withSetupInfo:)`, `processSampleBuffer(_:with:)`, `broadcastPaused()`,
///   `broadcastResumed()`, `broadcastAnnotated(withApplicationInfo:)`, `broadcastLinkRenewalRequested()`,
///   `broadcastScreenLocked(_:)`, `broadcastFinished()`
/// - The formats: `context`
/// - Telling the user: `announce(link:)`, `report(isLive:reason:)`, `report(state:)`, `warn(_:)`, `log(_:level:)`, `updateServiceInfo(_:)`, `viewers`, `sentBytes`,
///   `addSentBytes(_:)`, `connectionStatistics`
/// - Steering: `requestKeyframe()`, `requestEncoding(averageBitrate:maximumFrameRate:)`, `finishBroadcastWithError(_:)`
@BroadcastActor
open class BroadcastSampleHandler {
    nonisolated let link = BroadcastLink()

    public required init() {}

    /// The first callback. `setupInfo` has the user's settings, including secrets, by the keys of the manifest's setup
    /// fields. No sample comes before this has returned. If it throws, the broadcast ends with the error's sentence.
    open func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {}

    /// Called after the last sample before a pause.
    open func broadcastPaused() async {}

    /// Called before the first sample after a pause. Presentation times continue as if there had been none.
    open func broadcastResumed() async {}

    /// Called at the start with the properties of the source, and then for each `kinecast annotate`.
    open func broadcastAnnotated(withApplicationInfo applicationInfo: [String: String]) async {}

    /// Called when the user wants another link. Make the old one stop working, and announce a new one. Only called if the last link
    /// was announced as renewable.
    open func broadcastLinkRenewalRequested() async {}

    /// Called when the recorded screen was locked or unlocked; never for a private screen. Most takes pause meanwhile,
    /// and `broadcastPaused()` is called; the others show a plain card.
    open func broadcastScreenLocked(_ isLocked: Bool) async {}

    /// The last callback, after the last sample. Finish uploads within `context.finishTimeout`. Not called after
    /// `finishBroadcastWithError(_:)`, and not if `broadcastStarted` threw.
    open func broadcastFinished() async {}

    /// Called with each sample, which is lent until this returns; see `SampleBuffer`. Of the waiting samples of all
    /// streams, the one with the earliest presentation time comes first.
    open func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {}

    // MARK: For any thread

    /// The properties of the broadcast; empty before `broadcastStarted`.
    public nonisolated final var context: BroadcastContext { link.context }

    /// Ends the broadcast. No further callback begins, the user sees the error's `errorDescription` or else its
    /// description, and the process ends. The text should be one sentence: what happened, on what, and what to do.
    public nonisolated final func finishBroadcastWithError(_ error: any Error) { link.fail(error) }

    /// Tells the user the address at which the broadcast can be watched.
    public nonisolated final func announce(link address: String) { link.report(.links(BroadcastLinks(page: address))) }

    /// Tells the user the addresses at which the broadcast can be watched.
    /// - Parameters:
    ///   - page: the address for a browser.
    ///   - player: a plain address for players; nil if there is none.
    ///   - isRenewable: whether `broadcastLinkRenewalRequested()` makes another link.
    public nonisolated final func announce(link page: String, player: String?, isRenewable: Bool) {
        link.report(.links(BroadcastLinks(page: page, player: player, isRenewable: isRenewable)))
    }

    /// Tells the user the state of the broadcast in a few words: "connected", "reconnecting" …
    public nonisolated final func report(state: String) { link.report(.state(state)) }

    /// Reports whether the server receives the broadcast. By default the broadcast is live when `broadcastStarted` has
    /// returned. An extension that connects to a server calls this with false in `broadcastStarted`, and with true when
    /// the server has taken the stream; if that never happens, the destination has failed when the take ends. A
    /// later false means that the connection is lost and being restored.
    /// - Parameter reason: one sentence on the cause of false; nil if it is unknown or has not changed.
    public nonisolated final func report(isLive: Bool, reason: String? = nil) {
        link.report(isLive: isLive, reason: reason)
    }

    /// Reports that the server does not receive the broadcast, with the failure's code beside its sentence.
    package nonisolated final func reportNotLive(_ failure: any CodedError & CustomStringConvertible) {
        link.report(isLive: false, reason: failure.description, code: failure.problem)
    }

    /// Sends information about the service to the broadcasting app: viewers, the address of a chat … The app gets the
    /// newest, at most four times a second. At most 64 entries, with keys of 100 and values of 1000 characters, and
    /// 4096 bytes of JSON in total; the rest is dropped. The service defines the keys.
    public nonisolated final func updateServiceInfo(_ serviceInfo: [String: String]) {
        link.report(.serviceInfo(ServiceInfo.bounded(serviceInfo)))
    }

    /// Writes a line into the log: an event of the app's controller, printed by `kinecast broadcast --verbose`. At most
    /// 20 lines a second on average, 100 at once; the rest is counted and dropped. Secrets are hidden.
    /// - Parameter message: one line of at most 1000 characters.
    public nonisolated final func log(_ message: String, level: LogLevel = .info) {
        link.report(.log(ExtensionLogLine(level, String(message.prefix(ExtensionLogLine.limit)))))
    }

    /// Shows the user an important sentence.
    public nonisolated final func warn(_ sentence: String) { link.report(.warning(sentence)) }

    /// - Parameter code: of the sentence.
    package nonisolated final func warn(_ sentence: String, _ code: ProblemCode?) {
        link.report(.warning(sentence, code: code))
    }

    /// Requests a keyframe, so that decoding can start again. Encoded frames only; it comes within a few frames.
    public nonisolated final func requestKeyframe() { link.report(.needsKeyframe) }

    /// Requests less than the user chose, because the network is too slow. Encoded frames only; the request takes
    /// effect within a second and holds until the next one. The encoder follows the lowest request of all extensions,
    /// within the user's choice. A call without arguments removes the limits, and so does the end of the extension.
    /// - Parameters:
    ///   - averageBitrate: bits a second; nil: the user's choice.
    ///   - maximumFrameRate: frames a second; nil: the user's choice.
    public nonisolated final func requestEncoding(averageBitrate: Int? = nil, maximumFrameRate: Double? = nil) {
        link.request(
            EncodingRequest(averageBitrate: averageBitrate, maximumFrameRate: maximumFrameRate).bounded)
    }

    /// The state of the connection to the server, shown to the user once a second. Nil values are not shown.
    public nonisolated final var connectionStatistics: ConnectionStatistics? {
        get { link.counted.withLock { $0.connection } }
        set { link.counted.withLock { $0.connection = newValue?.bounded } }
    }

    /// Bytes sent so far to all peers together, shown to the user. With several threads, use `addSentBytes`.
    public nonisolated final var sentBytes: Int {
        get { link.counted.withLock { $0.sentBytes } }
        set { link.counted.withLock { $0.sentBytes = newValue } }
    }

    /// Adds to `sentBytes`.
    public nonisolated final func addSentBytes(_ count: Int) { link.counted.withLock { $0.sentBytes += count } }

    /// The number of peers served now; nil if this broadcast does not count peers.
    public nonisolated final var viewers: Int? {
        get { link.counted.withLock { $0.viewers } }
        set { link.counted.withLock { $0.viewers = newValue } }
    }

    /// The extension's program: receives one broadcast, then ends the process. Only `kinecast` starts it.
    @MainActor
    public static func main() async {
        await BroadcastProcess.run { @BroadcastActor in Self.init() }
    }
}
