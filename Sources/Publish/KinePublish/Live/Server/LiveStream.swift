// A live stream between its source and its viewers: makes the records of its samples, and decides which each viewer gets
// next. KineLive has the history, the numbers, the live edge and the audience. The source never waits for a viewer.
import KineContainers
import KineLive
import KineMedia
import KinePlatform
import NIOCore
import Synchronization

/// One stream and its viewers.
package final class LiveStream: Sendable {
    struct Counts: Sendable {
        var viewers = 0
        /// Bytes passed to sockets, all viewers together.
        var sentBytes = 0
        /// Frames skipped for viewers who were too slow, all viewers together.
        var droppedFrames = 0
    }

    /// A viewer's place in the stream, stored by their connection.
    struct Viewer: Equatable, Sendable {
        fileprivate var cursor: ViewerCursor
        /// The number of ticks when the viewer last got data.
        fileprivate var tick: Int
        fileprivate let member: Audience.Member
    }

    /// A viewer's progress through the stream.
    enum Progress: Sendable {
        /// There may be more for the viewer.
        case more
        /// The viewer has all data so far, and gets more when there is more.
        case complete
        case over
    }

    /// A viewer's next bytes. All viewers at the same place get the same ones.
    struct Step: Sendable {
        let from: Viewer
        let to: Viewer
        let progress: Progress
        /// May be empty.
        private(set) var buffers: [ByteBuffer]
        fileprivate var bytes = 0
        fileprivate var droppedFrames = 0
        /// Whether all bytes are in one buffer that has no other reference.
        private(set) var isJoined = false

        mutating func join() {
            isJoined = true
            guard !buffers.isEmpty else { return }
            var whole = ByteBufferAllocator().buffer(capacity: Int(bytes))
            for buffer in buffers { whole.writeImmutableBuffer(buffer) }
            buffers = [whole]
        }
    }

    private struct State {
        var history: SampleHistory<LiveRecord>
        /// The header of the format that the newest samples have.
        var header: LiveHeader
        var numbering = FragmentNumbering()
        var edge: LiveEdge
        var audience = Audience()
        var distributors: [ViewerDistributor] = []
        var stateRecord: LiveRecord
        /// Ticks so far, and the newest one. They are not in the history, so that a long pause takes no memory: viewers
        /// get only the newest.
        var tick = 0
        var tickRecord: LiveRecord
        var isClosed = false
    }

    private let state: Mutex<State>
    private let sentBytes = Atomic(0)
    private let droppedFrames = Atomic(0)
    private let title: String
    /// The movie of the first format. It writes the fragments of later formats too: their headers are the same.
    private let movie: FragmentedMovie
    private let movieTypes: Set<SampleType>
    private let codecs: [SampleType: SampleCodec]
    private let furtherAudio: FragmentedMovie
    private let wantsKeyframe: @Sendable () -> Void

    /// - Parameter wantsKeyframe: called when a viewer needs a keyframe; at most once in two seconds, from any thread.
    package init(title: String, format: LiveFormat, wantsKeyframe: @escaping @Sendable () -> Void) {
        let now = MonotonicClock.now()
        let header = LiveHeader(title: title, format: format)
        (self.title, movie) = (title, header.movie)
        movieTypes = Set(format.audio.prefix(1).map(\.type) + (format.video == nil ? [] : [.video]))
        furtherAudio = FragmentedMovie(video: nil, audio: Array(format.audio.dropFirst()))
        var codecs: [SampleType: SampleCodec] = [:]
        for track in format.audio { codecs[track.type] = .audio(track.codec) }
        if let video = format.video { codecs[.video] = .video(video.codec) }
        self.codecs = codecs
        self.wantsKeyframe = wantsKeyframe
        state = Mutex(
            State(
                history: SampleHistory(codec: codecs[.video] ?? .audio(format.audio.first?.codec ?? .aac)),
                header: header, edge: LiveEdge(at: now),
                stateRecord: Self.record(of: .live, time: .zero), tickRecord: LiveRecord(.tick, content: [])))
    }

    /// Sends a sample to all viewers. Copies `bytes` before it returns.
    /// - Parameter format: of a keyframe and the frames after it, in the stream's codec; nil: as before.
    package func publish(
        _ type: SampleType, presentationTime: MediaTime, isKeyframe: Bool, bytes: UnsafeRawBufferPointer,
        format: VideoFormat? = nil
    ) {
        guard let codec = codecs[type] else { return }
        let sample = LiveSample(type: type, codec: codec, presentationTime: presentationTime, isKeyframe: isKeyframe)
        let isInMovie = movieTypes.contains(type)
        let now = MonotonicClock.now()
        change { state in
            guard let number = state.numbering.number(sample),
                let header = (isInMovie ? movie : furtherAudio).fragmentHeader(
                    type: type, presentationTime: presentationTime, isKeyframe: isKeyframe, byteCount: bytes.count,
                    sequenceNumber: number)
            else { return false }
            state.edge.advance(to: presentationTime, at: now)
            if isKeyframe, let format, format != state.header.format.video {
                let audio = state.header.format.audio
                state.header = LiveHeader(title: title, format: LiveFormat(video: format, audio: audio))
                for record in state.header.records { state.history.append(record, at: now) }
                state.header.end = state.history.end
            }
            let record = LiveRecord(sample, fragmentHeader: header, accessUnit: bytes, isInMovie: isInMovie)
            state.history.append(record, of: sample, at: now)
            return true
        }
    }

    /// Sends the state of the broadcast to all viewers.
    package func set(_ phase: LiveEdge.Phase) {
        let now = MonotonicClock.now()
        change { state in
            guard state.edge.enter(phase, at: now) else { return false }
            state.stateRecord = Self.record(of: phase, time: state.edge.time)
            state.history.append(state.stateRecord, at: now)
            return true
        }
    }

    /// Call this a few times a second. Sends a tick when one is due.
    /// - Parameter now: CLOCK_MONOTONIC nanoseconds.
    package func tick(at now: Int64 = MonotonicClock.now()) {
        change { state in
            guard let status = state.edge.tick(viewers: state.audience.count, at: now) else { return false }
            state.tick += 1
            state.tickRecord = LiveRecord(.tick, content: status.json, time: state.edge.time)
            return true
        }
    }

    var status: LiveEdge.Status {
        state.withLock { $0.edge.status(viewers: $0.audience.count, at: MonotonicClock.now()) }
    }

    /// The number of viewers now.
    package var viewers: Int { counts.viewers }

    /// Ends each viewer's stream once they have all data.
    package func close() {
        change { state in
            state.isClosed = true
            return true
        }
        state.withLock { $0.distributors = [] }
    }

    var counts: Counts {
        Counts(
            viewers: state.withLock { $0.audience.count }, sentBytes: sentBytes.load(ordering: .relaxed),
            droppedFrames: droppedFrames.load(ordering: .relaxed))
    }

    /// Changes the state, then wakes all viewers unless `body` returns false.
    private func change(_ body: (inout State) -> Bool) {
        let distributors = state.withLock { state in body(&state) ? state.distributors : [] }
        for distributor in distributors { distributor.wake() }
    }

    func distributor(for eventLoop: any EventLoop) -> ViewerDistributor {
        state.withLock { state in
            if let known = state.distributors.first(where: { $0.eventLoop === eventLoop }) { return known }
            let distributor = ViewerDistributor(eventLoop: eventLoop)
            // A closed stream does not change.
            if !state.isClosed { state.distributors.append(distributor) }
            return distributor
        }
    }

    /// Adds a viewer. Returns their place, and the first data for them.
    func join(_ form: ViewerCursor.Form) -> (viewer: Viewer, preface: [ByteBuffer]) {
        let now = MonotonicClock.now()
        let (viewer, header, stateRecord, status) = state.withLock { state in
            let cursor = ViewerCursor(form: form, history: state.history)
            let viewer = Viewer(cursor: cursor, tick: state.tick, member: state.audience.join())
            let status = state.edge.greeting(viewers: state.audience.count, at: now)
            return (viewer, state.header.records, state.stateRecord, status)
        }
        // A tick is sent only when its content changes, which may not happen again for this viewer.
        let tick = LiveRecord(.tick, content: status.json)
        let preface =
            switch form {
            case .records: (header + [stateRecord, tick]).map(\.chunks)
            case .fragments: header.compactMap(\.fragment)
            }
        return (viewer, preface)
    }

    /// Ends the streams of all present viewers.
    func disconnectViewers() {
        change { state in
            state.audience.dismissAll()
            return true
        }
    }

    /// Call this once for each viewer who joined.
    func leave(_ viewer: Viewer) {
        state.withLock { $0.audience.leave(viewer.member) }
    }

    /// A viewer's next step. Requests a keyframe if the viewer needs one.
    func step(from viewer: Viewer) -> Step {
        let (step, requestsKeyframe) = state.withLock { state -> (Step, Bool) in
            var next = viewer
            var buffers: [ByteBuffer] = []
            guard state.audience.includes(viewer.member) else {
                return (Step(from: viewer, to: next, progress: .over, buffers: []), false)
            }
            let droppedFrames = next.cursor.advance(
                in: state.history, header: state.header, state: state.stateRecord, into: &buffers)
            if next.tick != state.tick, next.cursor.form == .records { buffers.append(state.tickRecord.chunks) }
            next.tick = state.tick
            let progress: Progress =
                if state.isClosed { buffers.isEmpty ? .over : .more } else {
                    next.cursor.next == state.history.end ? .complete : .more
                }
            let requestsKeyframe =
                next.cursor.needsKeyframe && state.edge.phase == .live
                && state.audience.allowsKeyframeRequest(at: MonotonicClock.now())
            let step = Step(
                from: viewer, to: next, progress: progress, buffers: buffers,
                bytes: buffers.reduce(0) { $0 + $1.readableBytes }, droppedFrames: droppedFrames)
            return (step, requestsKeyframe)
        }
        if requestsKeyframe { wantsKeyframe() }
        return step
    }

    /// Call this for each viewer who gets the step.
    func count(_ step: Step) {
        sentBytes.add(step.bytes, ordering: .relaxed)
        if step.droppedFrames > 0 { droppedFrames.add(step.droppedFrames, ordering: .relaxed) }
    }

    private static func record(of phase: LiveEdge.Phase, time: MediaTime) -> LiveRecord {
        LiveRecord(.state, content: ["phase": phase].json, time: time)
    }
}
