// A live stream between its source and its viewers: a history, a cursor for each viewer, and the viewers that wait. The source
// never waits for a viewer.
import KineContainers
import KineMedia
import KinePlatform
import NIOCore
import Synchronization

/// One stream and its viewers.
final class LiveStream: Sendable {
    /// How the broadcast stands, as viewers are told.
    enum Phase: String, Codable, Sendable {
        case live, paused, ended
    }

    /// What a tick, and `/state`, say. Keys are read by Page/*.js.
    struct Standing: Codable, Equatable, Sendable {
        var phase: Phase
        var viewers: Int
        /// Microseconds of a clock of the server that began with it.
        var clock: Int64
        /// Microseconds by which the take's timeline is ahead of that clock; nil where that is not known.
        var ahead: Int64?
    }

    struct Counts: Sendable {
        var viewers = 0
        /// Bytes handed to sockets, all viewers together.
        var sentBytes: Int64 = 0
        /// Pictures that viewers were not sent because they were too slow, all viewers together.
        var droppedPictures = 0
    }

    private struct Viewer {
        var cursor: ViewerCursor
        /// How many ticks there had been when the viewer was last sent something.
        var tick: Int
        var waiting: CheckedContinuation<Void, Never>?
    }

    private struct State {
        var history: SampleHistory
        var viewers: [Int: Viewer] = [:]
        var nextViewer = 0
        var phase = Phase.live
        var stateRecord: LiveRecord
        /// Ticks so far, and the newest. They are not in the history, so that a pause of days takes no memory: a viewer is sent
        /// the newest one that they have not had.
        var tick = 0
        var tickRecord: LiveRecord
        var clock = StreamClock()
        /// What the newest tick said.
        var told: Standing?
        var sequenceNumber: UInt32 = 0
        var newest = MediaTime.zero
        var counts = Counts()
        var isClosed = false
        /// CLOCK_MONOTONIC nanoseconds.
        var lastRecord: Int64
        var keyframeAsking = KeyframeAsking()
    }

    private let state: Mutex<State>
    /// CLOCK_MONOTONIC nanoseconds at which the stream's own clock began.
    private let beginning: Int64
    /// Pictures and the first sound, which is all that browsers play of one file.
    private let movie: FragmentedMovie
    private let movieTypes: Set<SampleType>
    private let furtherSounds: FragmentedMovie
    private let description: LiveRecord
    private let initialization: LiveRecord
    private let pictures: LiveRecord?
    private let wantsKeyframe: @Sendable () -> Void

    /// How long nothing is sent before a tick is.
    static let tickInterval: Int64 = 1_000_000_000

    /// - Parameter wantsKeyframe: called, at most once in two seconds and from any thread, when a viewer could not go on.
    init(title: String, format: LiveFormat, wantsKeyframe: @escaping @Sendable () -> Void) {
        let now = MonotonicClock.now()
        beginning = now
        let first = Array(format.audio.prefix(1))
        movie = FragmentedMovie(video: format.video, audio: first)
        movieTypes = Set(first.map(\.type) + (format.video == nil ? [] : [.video]))
        furtherSounds = FragmentedMovie(video: nil, audio: Array(format.audio.dropFirst()))
        let description = StreamDescription(title: title, format: format, movie: movie)
        self.description = LiveRecord(.description, content: description.json, arrival: now)
        initialization = LiveRecord(.initialization, content: movie.initializationSegment, arrival: now)
        if let video = format.video, !format.audio.isEmpty {
            let movie = FragmentedMovie(video: video, audio: [])
            pictures = LiveRecord(.pictures, content: movie.initializationSegment, arrival: now)
        } else {
            pictures = nil
        }
        self.wantsKeyframe = wantsKeyframe
        state = Mutex(
            State(
                history: SampleHistory(hasVideo: format.video != nil),
                stateRecord: Self.record(of: .live, time: .zero, now: now),
                tickRecord: LiveRecord(.tick, content: [], arrival: now), lastRecord: now))
    }

    /// Hands a sample to all viewers. `bytes` are copied before this returns.
    func publish(
        _ type: SampleType, presentationTime: MediaTime, isKeyframe: Bool,
        bytes: UnsafeRawBufferPointer
    ) {
        let now = MonotonicClock.now()
        let isInMovie = movieTypes.contains(type)
        change { state in
            guard
                let header = (isInMovie ? movie : furtherSounds).fragmentHeader(
                    type: type, presentationTime: presentationTime, isKeyframe: isKeyframe, byteCount: bytes.count,
                    sequenceNumber: state.sequenceNumber &+ 1)
            else { return }
            state.sequenceNumber &+= 1
            state.newest = max(state.newest, presentationTime)
            state.lastRecord = now
            state.clock.note(presentationTime.nanoseconds, at: now - beginning)
            state.history.append(
                LiveRecord(
                    sample: type, fragmentHeader: header, accessUnit: bytes, time: presentationTime,
                    isKeyframe: isKeyframe, isInMovie: isInMovie, arrival: now))
        }
    }

    /// Tells all viewers how the broadcast stands.
    func set(_ phase: Phase) {
        let now = MonotonicClock.now()
        change { state in
            guard state.phase != phase, state.phase != .ended else { return }
            state.phase = phase
            state.clock.reset()
            state.stateRecord = Self.record(of: phase, time: state.newest, now: now)
            state.lastRecord = now
            state.history.append(state.stateRecord)
        }
    }

    /// Call a few times a second: tells the viewers of a stream in which nothing happens that it is still there, and all viewers
    /// when there are more of them or fewer, or when its clock is another.
    /// - Parameter now: CLOCK_MONOTONIC nanoseconds.
    func tick(at now: Int64 = MonotonicClock.now()) {
        let isDue = state.withLock { state in
            let isNews =
                state.told?.viewers != state.viewers.count
                || StreamClock.differ(state.told?.ahead.map { $0 * 1000 }, state.clock.ahead)
            return now - state.lastRecord >= Self.tickInterval || isNews
        }
        guard isDue else { return }
        change { state in
            let standing = standing(of: state, at: now)
            state.told = standing
            state.lastRecord = now
            state.tick += 1
            state.tickRecord = LiveRecord(.tick, content: standing.json, time: state.newest, arrival: now)
        }
    }

    /// How it stands now.
    var standing: Standing { state.withLock { standing(of: $0, at: MonotonicClock.now()) } }

    private func standing(of state: State, at now: Int64) -> Standing {
        Standing(
            phase: state.phase, viewers: state.viewers.count, clock: (now - beginning) / 1000,
            ahead: state.clock.ahead.map { $0 / 1000 })
    }

    /// Ends all streams once their viewers have what was said before.
    func close() { change { $0.isClosed = true } }

    var counts: Counts { state.withLock { $0.counts } }
    var phase: Phase { state.withLock { $0.phase } }

    /// Changes the state, then wakes every viewer who waits.
    private func change(_ body: (inout State) -> Void) {
        let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            body(&state)
            return Array(state.viewers.keys).compactMap { id in
                defer { state.viewers[id]?.waiting = nil }
                return state.viewers[id]?.waiting
            }
        }
        for continuation in woken { continuation.resume() }
    }

    /// Adds a viewer. Returns their number, and what they are sent before anything else.
    func join(_ form: ViewerCursor.Form) -> (viewer: Int, preface: [ByteBuffer]) {
        let now = MonotonicClock.now()
        let (id, stateRecord, told) = state.withLock { state in
            state.nextViewer += 1
            state.viewers[state.nextViewer] = Viewer(
                cursor: ViewerCursor(form: form, history: state.history), tick: state.tick)
            state.counts.viewers = state.viewers.count
            return (state.nextViewer, state.stateRecord, standing(of: state, at: now))
        }
        // Ticks are sent when what they say changes, which may not happen again for this viewer.
        let tick = LiveRecord(.tick, content: told.json, arrival: now)
        let preface =
            switch form {
            case .records: [description, pictures, initialization, stateRecord, tick].compactMap { $0?.bytes }
            case .fragments: [initialization.fragment].compactMap { $0 }
            }
        return (id, preface)
    }

    /// Ends the streams of all who watch now. What they open next is a new one, if they may.
    func letViewersGo() {
        let waiting = state.withLock { state in
            defer {
                state.viewers = [:]
                state.counts.viewers = 0
            }
            return state.viewers.values.compactMap(\.waiting)
        }
        for continuation in waiting { continuation.resume() }
    }

    func leave(_ viewer: Int) {
        let waiting = state.withLock { state in
            let viewer = state.viewers.removeValue(forKey: viewer)
            state.counts.viewers = state.viewers.count
            return viewer?.waiting
        }
        waiting?.resume()
    }

    /// What the viewer is sent next; waits while there is nothing. Nil once the stream has ended or the task is cancelled.
    func next(for viewer: Int) async -> [ByteBuffer]? {
        while !Task.isCancelled {
            let (buffers, isOver, asks) = state.withLock { state in take(for: viewer, from: &state) }
            if asks { wantsKeyframe() }
            if !buffers.isEmpty { return buffers }
            if isOver { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { wait(for: viewer, $0) }
            } onCancel: {
                state.withLock { state in
                    defer { state.viewers[viewer]?.waiting = nil }
                    return state.viewers[viewer]?.waiting
                }?.resume()
            }
        }
        return nil
    }

    private func take(for id: Int, from state: inout State) -> (buffers: [ByteBuffer], isOver: Bool, asks: Bool) {
        guard var viewer = state.viewers.removeValue(forKey: id) else { return ([], true, false) }
        let before = viewer.cursor.droppedPictures
        var batch = viewer.cursor.take(from: state.history, state: state.stateRecord)
        if viewer.tick != state.tick, viewer.cursor.form == .records {
            batch.buffers.append(state.tickRecord.bytes)
            batch.bytes += state.tickRecord.bytes.readableBytes
        }
        viewer.tick = state.tick
        state.counts.droppedPictures += viewer.cursor.droppedPictures - before
        state.counts.sentBytes += Int64(batch.bytes)
        state.viewers[id] = viewer
        let asks =
            batch.wantsKeyframe && state.phase == .live && state.keyframeAsking.asks(at: MonotonicClock.now())
        return (batch.buffers, state.isClosed, asks)
    }

    /// Keeps the continuation until something changes, unless that has happened already.
    private func wait(for id: Int, _ continuation: CheckedContinuation<Void, Never>) {
        let goesOn = state.withLock { state in
            guard !Task.isCancelled, !state.isClosed, let viewer = state.viewers[id],
                viewer.cursor.next == state.history.end, viewer.tick == state.tick
            else { return true }
            state.viewers[id]?.waiting = continuation
            return false
        }
        if goesOn { continuation.resume() }
    }

    private static func record(of phase: Phase, time: MediaTime, now: Int64) -> LiveRecord {
        LiveRecord(.state, content: ["phase": phase].json, time: time, arrival: now)
    }
}
