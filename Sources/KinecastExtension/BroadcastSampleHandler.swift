// The class that an upload extension subclasses and marks `@main`.
import KineMedia
import KineRelay

/// Receives one broadcast.
///
///     @main final class Uploader: BroadcastSampleHandler {
///         override func processSampleBuffer(_ sampleBuffer: borrowing SampleBuffer, with type: SampleBufferType) async {
///             sampleBuffer.withPixels { pixels in … }
///         }
///     }
///
/// The engine starts the program for each broadcast, in a process of its own, under a memory limit. The callbacks come in
/// order and one at a time, on a thread that is neither the main thread nor one of Swift's pool; each is awaited before the
/// next, and frames are skipped while one takes long. They may block: the thread is the handler's. All of them are `async`, and
/// an override has to be marked so as well; it need not await anything.
///
/// ## Topics
/// - Callbacks: `broadcastStarted(withSetupInfo:)`, `processSampleBuffer(_:with:)`, `broadcastPaused()`,
///   `broadcastResumed()`, `broadcastAnnotated(withApplicationInfo:)`, `broadcastLinkRenewalRequested()`,
///   `broadcastFinished()`
/// - The formats: `context`
/// - Telling the user: `announce(link:)`, `report(isLive:reason:)`, `report(state:)`, `warn(_:)`, `viewers`, `sentBytes`,
///   `addSentBytes(_:)`, `connectionStatistics`
/// - Steering: `requestKeyframe()`, `requestEncoding(averageBitrate:maximumFrameRate:)`, `finishBroadcastWithError(_:)`
@BroadcastActor
open class BroadcastSampleHandler {
    nonisolated let link = BroadcastLink()

    public required init() {}

    // MARK: Callbacks

    /// The first callback. `setupInfo` is what the user set, by the keys of the manifest's setup fields, secrets among it. No
    /// sample comes before it has returned. If it throws, the broadcast ends with the error's sentence.
    open func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {}

    /// After the last sample before a pause.
    open func broadcastPaused() async {}

    /// Before the first sample after a pause. Presentation times continue as if there had been none.
    open func broadcastResumed() async {}

    /// What is shown has changed.
    open func broadcastAnnotated(withApplicationInfo applicationInfo: [String: String]) async {}

    /// The user wants another link: nobody may get in by the one that was announced any more. Make a new one and announce it.
    /// Only called if the last one was announced as renewable.
    open func broadcastLinkRenewalRequested() async {}

    /// The last callback, after the last sample: the time to finish uploads, `context.finishSeconds` at most. Not called after
    /// `finishBroadcastWithError(_:)`, and not if `broadcastStarted` threw.
    open func broadcastFinished() async {}

    /// A sample, lent until this returns; see `SampleBuffer`. Of the samples of all streams that are there, the one with the
    /// earliest presentation time comes first.
    open func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {}

    // MARK: For any thread

    /// What is known about the broadcast; empty before `broadcastStarted`.
    public nonisolated final var context: BroadcastContext { link.context }

    /// Ends the broadcast from this side. No further callback begins, the user sees the error's `errorDescription` or else its
    /// description, and the process ends. Make it one sentence: what happened, on what, and what to do.
    public nonisolated final func finishBroadcastWithError(_ error: any Error) { link.fail(error) }

    /// Tells the user where the broadcast can be seen.
    public nonisolated final func announce(link address: String) { link.report(.link(address)) }

    /// Tells the user where the broadcast can be seen.
    /// - Parameters:
    ///   - page: for a browser.
    ///   - player: a plain address for players, where there is one.
    ///   - isRenewable: `broadcastLinkRenewalRequested()` makes another.
    public nonisolated final func announce(link page: String, player: String?, isRenewable: Bool) {
        link.report(.links(BroadcastLinks(page: page, player: player, isRenewable: isRenewable)))
    }

    /// Tells the user the state of the broadcast in a few words: "connected", "reconnecting" …
    public nonisolated final func report(state: String) { link.report(.state(state)) }

    /// Tells whether the broadcast arrives at its server. An extension that never calls this is live as soon as
    /// `broadcastStarted` has returned. One that connects to a server calls it with false in `broadcastStarted`, and with true
    /// when the server has accepted the stream: until then the destination is starting, and one that was never live has failed
    /// when the take ends. False again means that the connection is lost and being made anew.
    /// - Parameter reason: why it does not arrive, one sentence; nil if that is unknown or has not changed.
    public nonisolated final func report(isLive: Bool, reason: String? = nil) {
        link.report(isLive: isLive, reason: reason)
    }

    /// Tells the user something important; one sentence.
    public nonisolated final func warn(_ sentence: String) { link.report(.warning(sentence)) }

    /// Asks for a keyframe, because decoding has to begin anew. Encoded frames only; it comes within a few frames.
    public nonisolated final func requestKeyframe() { link.report(.needsKeyframe) }

    /// Asks for less than the user chose, because the network is too slow. Encoded frames only; it takes effect within a second
    /// and holds until the next call. The encoder makes no more than any of its extensions asks for, and never more than the user
    /// chose. A call without arguments lifts the limits, and so does the end of the extension.
    /// - Parameters:
    ///   - averageBitrate: bits a second; nil: as chosen.
    ///   - maximumFrameRate: frames a second; nil: as chosen.
    public nonisolated final func requestEncoding(averageBitrate: Int? = nil, maximumFrameRate: Double? = nil) {
        link.request(
            EncodingRequest(averageBitrate: averageBitrate, maximumFrameRate: maximumFrameRate).bounded)
    }

    /// What is known of the connection to the server, shown to the user and updated once a second. What is nil is not shown.
    public nonisolated final var connectionStatistics: ConnectionStatistics? {
        get { link.counted.withLock { $0.connection } }
        set { link.counted.withLock { $0.connection = newValue?.bounded } }
    }

    /// Bytes sent so far, to all peers together, shown to the user. From several threads, use `addSentBytes`.
    public nonisolated final var sentBytes: Int64 {
        get { link.counted.withLock { $0.sentBytes } }
        set { link.counted.withLock { $0.sentBytes = newValue } }
    }

    /// Adds to `sentBytes`.
    public nonisolated final func addSentBytes(_ count: Int) { link.counted.withLock { $0.sentBytes += Int64(count) } }

    /// Peers served now; nil: there are none to count.
    public nonisolated final var viewers: Int? {
        get { link.counted.withLock { $0.viewers } }
        set { link.counted.withLock { $0.viewers = newValue } }
    }

    // MARK: The program

    /// The extension's program: receives one broadcast, then ends the process. Only `kinecast` starts it.
    @MainActor
    public static func main() async {
        await BroadcastProcess.run { @BroadcastActor in Self.init() }
    }
}
