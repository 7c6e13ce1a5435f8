// Plays known audio through an audio server and knows when it is heard: the other end of what the capture measures. It
// asks libpulse's playback timing, which shares nothing with the capture's arithmetic.
import CPulse
import CoreTesting
import Glibc
import KinePlatform

/// Plays on a thread of its own: silence, or a steady tone, and now and then a click, a burst of 1 kHz of 10 ms.
public final class TonePlayer: Sendable {
    private struct State {
        var isReady = false
        var failure: String?
        var stopping = false
        var level: Float = 0
        /// Frames at which clicks begin, and when they were heard once that is known.
        var clicks: [Int64] = []
        var heard: [Int64] = []
        /// When the next click is heard, as far as is known.
        var estimate: Int64?
        var clicksWanted = 0
        var index: UInt32 = .max

        /// A frame is heard at an instant: clicks whose time is past have been heard.
        mutating func note(frame: Int64, at instant: Int64, rate: Int) {
            while heard.count < clicks.count {
                let ahead = (clicks[heard.count] - frame) * 1_000_000_000 / Int64(rate)
                // The last reading before it is heard counts: after it the player may have run dry, and its
                // position no longer tells when the click was.
                if ahead > 0 || estimate == nil { estimate = instant + ahead }
                guard ahead < -50_000_000, let last = estimate else { break }
                estimate = nil
                heard.append(last)
            }
        }
    }

    private let state = Monitor(State())
    private let thread: DedicatedThread

    /// Connects and begins to play. `level`: of a steady 440 Hz tone, 0 for silence. `output`: a sink's name.
    public init(
        server: String, application: String = "TonePlayer", output: String? = nil, level: Float = 0,
        rate: Int = 48000
    ) throws {
        let state = state
        state.withLock { $0.level = level }
        thread = DedicatedThread(name: "player") {
            Self.play(server: server, application: application, output: output, rate: rate, state: state)
        }
        let outcome = state.wait(until: WaitLimit.deadline()) { state in
            state.failure ?? (state.isReady ? "" : nil)
        }
        guard outcome == "" else {
            state.withLock { $0.stopping = true }
            thread.join()
            throw TestAudioServer.Failure(description: "the player: \(outcome ?? "timed out")")
        }
    }

    /// The number of the stream on the server.
    public var index: UInt32 { state.withLock { $0.index } }

    public func setLevel(_ level: Float) { state.withLock { $0.level = level } }

    /// Plays a click soon, a second after the one before at the earliest, and returns the instant at which it is heard,
    /// CLOCK_MONOTONIC nanoseconds, once it has been.
    public func click() throws -> Int64 {
        let number = state.withLock { state in
            state.clicksWanted += 1
            return state.clicksWanted
        }
        let instant = state.wait(until: WaitLimit.deadline()) { state in
            state.heard.count >= number ? state.heard[number - 1] : nil
        }
        guard let instant else { throw TestAudioServer.Failure(description: "the player: no click was heard") }
        return instant
    }

    public func stop() {
        let wasStopping = state.withLock { state in
            defer { state.stopping = true }
            return state.stopping
        }
        if !wasStopping { thread.join() }
    }

    deinit { stop() }

    private static func play(
        server: String, application: String, output: String?, rate: Int, state: Monitor<State>
    ) {
        let loop = pa_mainloop_new()
        defer { pa_mainloop_free(loop) }
        let properties = pa_proplist_new()
        defer { pa_proplist_free(properties) }
        pa_proplist_sets(properties, "application.name", application)
        let context = pa_context_new_with_proplist(pa_mainloop_get_api(loop), application, properties)
        defer {
            pa_context_disconnect(context)
            pa_context_unref(context)
        }
        guard pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else {
            return state.signal { $0.failure = "cannot connect" }
        }
        while pa_context_get_state(context) != PA_CONTEXT_READY {
            guard pa_mainloop_iterate(loop, 1, nil) >= 0, pa_context_get_state(context) != PA_CONTEXT_FAILED else {
                return state.signal { $0.failure = "the server refused" }
            }
        }
        play(to: output, in: context, loop, rate: rate, state: state)
    }

    private static func play(
        to output: String?, in context: OpaquePointer?, _ loop: OpaquePointer?, rate: Int, state: Monitor<State>
    ) {
        var specification = pa_sample_spec(format: PA_SAMPLE_FLOAT32LE, rate: UInt32(rate), channels: 2)
        let stream = pa_stream_new(context, "tone", &specification, nil)
        defer { pa_stream_unref(stream) }
        var attributes = pa_buffer_attr(
            maxlength: .max, tlength: UInt32(rate / 10 * 8), prebuf: .max, minreq: .max, fragsize: .max)
        pa_stream_connect_playback(stream, output, &attributes, PA_STREAM_ADJUST_LATENCY, nil, nil)
        while pa_stream_get_state(stream) != PA_STREAM_READY {
            guard pa_mainloop_iterate(loop, 1, nil) >= 0, pa_stream_get_state(stream) != PA_STREAM_FAILED else {
                return state.signal { $0.failure = "the stream was refused" }
            }
        }
        let index = pa_stream_get_index(stream)
        var written: Int64 = 0
        var clickUntil: Int64 = 0
        while !state.withLock({ $0.stopping }) {
            let room = pa_stream_writable_size(stream) / 8
            if room > 0 && room != Int.max / 8 {
                let samples = samples(room, from: written, clickUntil: &clickUntil, rate: rate, state: state)
                pa_stream_write(stream, samples, room * 8, nil, 0, PA_SEEK_RELATIVE)
                written += Int64(room)
                if !state.withLock({ $0.isReady }) {
                    state.signal {
                        $0.isReady = true
                        $0.index = index
                    }
                }
            }
            if let position = playing(stream, loop, rate: rate) {
                state.signal { $0.note(frame: position.frame, at: position.instant, rate: rate) }
            }
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 4_000_000)
            pa_mainloop_prepare(loop, 1000)
            pa_mainloop_poll(loop)
            pa_mainloop_dispatch(loop)
        }
        pa_stream_disconnect(stream)
    }

    /// So many frames from `start` on, with the next click that is wanted.
    private static func samples(
        _ count: Int, from start: Int64, clickUntil: inout Int64, rate: Int, state: Monitor<State>
    ) -> [Float] {
        let (level, clicks) = state.withLock { state -> (Float, Bool) in
            let earliest = (state.clicks.last ?? -Int64(rate)) + Int64(rate)
            guard state.clicks.count < state.clicksWanted, start >= earliest else { return (state.level, false) }
            state.clicks.append(start)
            return (state.level, true)
        }
        if clicks { clickUntil = start + Int64(rate / 100) }
        var samples: [Float] = []
        samples.reserveCapacity(count * 2)
        for frame in start..<start + Int64(count) {
            let value = frame < clickUntil ? 0.9 * wave(frame, 1000, rate) : level * wave(frame, 440, rate)
            samples.append(value)
            samples.append(value)
        }
        return samples
    }

    /// Which frame is heard now.
    private static func playing(
        _ stream: OpaquePointer?, _ loop: OpaquePointer?, rate: Int
    ) -> (frame: Int64, instant: Int64)? {
        guard let operation = pa_stream_update_timing_info(stream, { _, _, _ in }, nil) else { return nil }
        defer { pa_operation_unref(operation) }
        while pa_operation_get_state(operation) == PA_OPERATION_RUNNING {
            guard pa_mainloop_iterate(loop, 1, nil) >= 0 else { return nil }
        }
        let now = MonotonicClock.now()
        guard let info = pa_stream_get_timing_info(stream)?.pointee, info.playing != 0 else { return nil }
        let micro = Int64(info.transport_usec) - Int64(info.sink_usec)
        return (info.read_index / 8 + micro * Int64(rate) / 1_000_000, now)
    }

    private static func wave(_ frame: Int64, _ frequency: Int64, _ rate: Int) -> Float {
        // A square wave: it begins at full height, so that its onset has an exact place.
        (frame * frequency * 2 / Int64(rate)) % 2 == 0 ? 1 : -1
    }
}
