// The clip buffer's thread: it stores queued samples once a second, and starts another thread to write each clip.
import KineContainers
import KineInput
import KineMedia
import KinePlatform
import SystemPackage

/// Used on the thread only.
final class ClipLoop {
    /// The samples and the request of one round.
    private struct Work {
        var video: VideoFormat?
        var samples: [EncodedSample]
        var input: [TimedInput]
        var hasLost: Bool
        var export: ClipBuffer.Export?
        var hasEnded: Bool
    }

    /// Nanoseconds between two rounds.
    private static let interval: Int64 = 1_000_000_000

    private let state: Monitor<ClipBuffer.State>
    private let scratch: ClipScratch
    private let observer: any TakeObserver
    private var store: ClipStore
    private let hasInput: Bool
    /// Nil: there is no frame yet, or clips have no input track.
    private var input: RecentInput?
    private var lastRound: Int64 = .min
    /// The export that waits for its last samples.
    private var pending: ClipBuffer.Export?
    private var writing: DedicatedThread?
    private var hasWarnedOfLoss = false
    private var hasWarnedOfRoom = false

    init(
        state: Monitor<ClipBuffer.State>, limits: ClipLimits, audio: [AudioFormat], hasInput: Bool, directory: String,
        observer: any TakeObserver
    ) {
        self.state = state
        self.observer = observer
        self.hasInput = hasInput
        scratch = ClipScratch(directory: directory, limit: limits.disk) { () throws(StorageError) in
            try ScratchFile(in: directory, makingDirectory: true)
        }
        store = ClipStore(limits: limits, audio: audio, scratch: scratch)
    }

    func run() {
        while true {
            let work = nextWork()
            keep(work)
            if let export = work.export {
                pending = export
                store.heldEnd = export.end
            }
            if let pending, work.hasEnded || isComplete(pending) { start(pending, video: work.video) }
            guard !work.hasEnded else { break }
        }
        writing?.join()
    }

    private func nextWork() -> Work {
        if let pending {
            _ = state.wait(until: pending.deadline) { !$0.samples.isEmpty || $0.hasEnded ? true : nil }
        } else {
            // Without new samples there is no work: this sleep may be long.
            _ = state.wait { !$0.samples.isEmpty || $0.isUrgent ? true : nil }
            _ = state.wait(until: lastRound + Self.interval) { $0.isUrgent ? true : nil }
        }
        lastRound = MonotonicClock.now()
        return state.withLock { state in
            var work = Work(
                video: state.video, samples: state.samples, input: state.input, hasLost: state.hasLost, export: nil,
                hasEnded: state.hasEnded)
            if case .asked(let export) = state.export {
                work.export = export
                state.export = .underWay
            }
            (state.samples, state.input) = ([], [])
            state.queuedBytes = 0
            state.hasLost = false
            return work
        }
    }

    private func keep(_ work: Work) {
        if work.hasLost { store.removeAll() }
        for sample in work.samples { store.append(sample) }
        if hasInput, input == nil { input = work.video.map { RecentInput(size: $0.size) } }
        input?.note(work.input)
        keepInput(through: store.newest)
        if store.video.units.isEmpty, work.samples.contains(where: { $0.type == .video }) {
            state.withLock { $0.gap = .unasked }
        }
        if work.hasLost, !hasWarnedOfLoss {
            hasWarnedOfLoss = true
            observer.observe(
                .warning("The disk of the clip buffer was too slow, so the buffer began anew; the take goes on."))
        }
        if store.isShortened, !hasWarnedOfRoom {
            hasWarnedOfRoom = true
            observer.observe(
                .warning("The clip buffer keeps less time than was asked for: \(reasonOfShortage). The take goes on."))
        }
    }

    private func keepInput(through end: MediaTime) {
        // A clip may begin a keyframe earlier.
        input?.keep(through: end, from: end - store.limits.length - ClipLimits.keyframeInterval)
    }

    private var reasonOfShortage: String {
        switch scratch.problem {
        case nil: "the \(store.limits.disk >> 30) GB of disk that it may take are used up"
        case .full(let directory): "little room is left on the disk of \(directory), and the rest is for others"
        case .some(let error): error.description
        }
    }

    /// Whether everything up to the end of the clip has come, or will not come. Audio is later than frames.
    private func isComplete(_ export: ClipBuffer.Export) -> Bool {
        guard !store.formats.isEmpty, MonotonicClock.now() < export.deadline else { return true }
        guard let end = store.audioEnd else { return false }
        // In a pause an encoder holds back its priming, the frame of its delay, and one that is not full.
        let held = store.formats.map { $0.time(ofSample: Int64($0.primingSamples + 2 * $0.samplesPerAccessUnit)) }
        return end >= export.end - (export.isPaused ? held.max() ?? .zero : .zero)
    }

    private func start(_ export: ClipBuffer.Export, video: VideoFormat?) {
        pending = nil
        store.heldEnd = nil
        writing?.join()
        writing = nil
        guard let video, let clip = ClipSelection(of: store, end: export.end, duration: export.request.duration)
        else { return Self.end(export, .failure(.nothingCaptured), state) }
        keepInput(through: export.end)
        do throws(Errno) {
            writing = try DedicatedThread(starting: "clip") { [state, input] in
                Self.end(export, Self.write(clip, input, video: video, for: export.request), state)
            }
        } catch {
            Self.end(export, .failure(.thread(error)), state)
        }
    }

    private static func end(
        _ export: ClipBuffer.Export, _ result: Result<ExportedClip, ClipError>, _ state: Monitor<ClipBuffer.State>
    ) {
        // Before the reply, so that the next export is not refused because of this one.
        state.withLock { $0.export = .none }
        export.reply(result)
    }

    private static func write(
        _ clip: ClipSelection, _ input: RecentInput?, video: VideoFormat, for request: ClipRequest
    ) -> Result<ExportedClip, ClipError> {
        do throws(StorageError) {
            let file = try WholeFile(
                request.output, ifTaken: request.isNumbered ? .number : request.overwrite ? .replace : .refuse,
                isPrivate: request.isPrivate)
            let finished = try ClipWriter.write(
                clip, input: input?.samples(in: clip.start..<clip.end) ?? [], video: video, to: file)
            try file.publishWhole()
            return .success(
                ExportedClip(
                    output: file.path, start: clip.start, duration: clip.duration, askedDuration: request.duration,
                    bytes: finished.bytes, frames: finished.frames))
        } catch {
            return .failure(.storage(error))
        }
    }
}
