// The thread that keeps the last seconds of a take, for clips. Capture and encoders never wait for it: when it is
// behind, it begins anew with the next keyframe. Samples that do not fit are discarded early.
import KineContainers
import KineInput
import KineMedia
import KinePlatform
import KineText
import SystemPackage

/// The reasons why no clip is written.
package enum ClipError: Error {
    /// The take has no clip buffer.
    case notBuffering
    /// Another clip of the take is being written.
    case exportInProgress
    case nothingCaptured
    /// The take is over.
    case over
    /// The file could not be written; no part of it was kept.
    case storage(StorageError)
    /// The process cannot create another thread.
    case thread(Errno)
}

/// The clip buffer of one take, fed from the encoders' threads.
final class ClipBuffer: Sendable {
    /// A requested clip.
    struct Export: Sendable {
        var request: ClipRequest
        /// The take's time at the moment of the request.
        var end: MediaTime
        var isPaused: Bool
        /// The same moment on CLOCK_MONOTONIC.
        var instant: Int64
        /// Called on any thread, once.
        var reply: @Sendable (Result<ExportedClip, ClipError>) -> Void

        /// The wait for samples up to the end stops at this instant.
        var deadline: Int64 { instant + ClipBuffer.timeout }
    }

    enum ExportState {
        case none
        case asked(Export)
        /// It waits for its last samples, or is being written.
        case underWay
    }

    struct State {
        var video: VideoFormat?
        var samples: [EncodedSample] = []
        var queuedBytes = 0
        /// Actions for the input track that the thread has not kept yet.
        var input: [TimedInput] = []
        /// The queue was full, and everything before its first sample is lost.
        var hasLost = false
        var gap = DecodingGap.none
        var export = ExportState.none
        var hasEnded = false

        /// Whether the thread should wake now rather than at its next round.
        var isUrgent: Bool {
            if case .asked = export { return true }
            return hasEnded || queuedBytes >= ClipBuffer.batch
        }
    }

    /// The most bytes of samples that wait for this thread.
    private static let queueLimit = 16 << 20
    /// Bytes of samples at which the thread wakes before its next round.
    private static let batch = 1 << 20
    /// Nanoseconds that an export waits for the audio up to its end.
    private static let timeout: Int64 = 5_000_000_000

    private let state: Monitor<State>
    private let thread: DedicatedThread

    /// Throws if the process cannot create another thread.
    ///
    /// - Parameters:
    ///   - hasInput: clips get an input track.
    ///   - directory: holds the scratch file for samples that do not fit into memory; created when needed.
    ///   - observer: gets one warning when the buffer keeps less time than requested, and one when it begins anew.
    init(
        limits: ClipLimits, audio: [AudioFormat], hasInput: Bool = false, directory: String,
        observer: any TakeObserver
    ) throws(Errno) {
        let state = Monitor(State())
        self.state = state
        thread = try DedicatedThread(starting: "clips") {
            ClipLoop(
                state: state, limits: limits, audio: audio, hasInput: hasInput, directory: directory, observer: observer
            ).run()
        }
    }

    /// The scratch file's directory: the same as the take's file, or else one in the cache directory. Unlike `/tmp`,
    /// both are rarely in memory.
    static func directory(_ configuration: TakeConfiguration) -> String {
        configuration.file.map { FilePath(escaped: $0).removingLastComponent().escaped }
            ?? FilePath(escaped: UserDirectories.cache).appending("kinecast").escaped
    }

    /// Sets the format of the first frames. Call it once, before the first sample.
    func begin(_ video: VideoFormat) { state.withLock { $0.video = video } }

    /// Queues a sample. Never waits.
    func append(_ sample: EncodedSample) {
        let mustWake = state.withLock { state -> Bool in
            guard !state.hasEnded else { return false }
            if state.queuedBytes + sample.data.count > Self.queueLimit {
                state.samples = []
                state.queuedBytes = 0
                state.hasLost = true
                state.gap = .unasked
            }
            let wasEmpty = state.samples.isEmpty
            let wasUrgent = state.isUrgent
            state.samples.append(sample)
            state.queuedBytes += sample.data.count
            if case .underWay = state.export { return true }
            return wasEmpty || state.isUrgent && !wasUrgent
        }
        if mustWake { state.signal { _ in } }
    }

    /// Notes what a person did, for the clips' input track. The thread keeps it with the next samples.
    func note(_ input: [TimedInput]) { state.withLock { if !$0.hasEnded { $0.input += input } } }

    /// Whether the buffer is empty and needs a keyframe. True once for each time that it becomes empty.
    func consumeKeyframeRequest() -> Bool { state.withLock { $0.gap.consumeKeyframeRequest() } }

    /// Writes a clip while the buffer goes on. Only one is written at a time.
    func export(_ export: Export) {
        let refusal = state.signal { state -> ClipError? in
            if state.hasEnded { return .over }
            guard case .none = state.export else { return .exportInProgress }
            state.export = .asked(export)
            return nil
        }
        if let refusal { export.reply(.failure(refusal)) }
    }

    /// Writes the clip that is under way, then ends the thread and drops the buffer. Blocks.
    func finish() {
        state.signal { $0.hasEnded = true }
        thread.join()
    }
}
