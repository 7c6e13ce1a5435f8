// When a cast is open, and when it has ended.
import Testing

@testable import KineCapture

@Suite struct CastStateMachineTests {
    private typealias Stream = CastStateMachine.Stream
    private static let limits = CastStateMachine.Limits(opening: 3_000_000_000, pause: 100)

    private func opening() -> CastStateMachine { CastStateMachine(now: 1000, limits: Self.limits) }

    private func running() -> CastStateMachine {
        var machine = opening()
        machine.noteFrame()
        return machine
    }

    /// The error with which it ends; nil: it goes on.
    private func advance(_ machine: inout CastStateMachine, _ stream: Stream, at now: Int64) -> VideoSourceError? {
        do throws(VideoSourceError) {
            try machine.advance(stream, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [Stream.connecting, .paused, .streaming])
    func `a cast without a first frame is given up in time`(stream: CastStateMachine.Stream) {
        var machine = opening()
        let deadline = 1000 + Self.limits.opening
        #expect(machine.deadline == deadline)
        #expect(advance(&machine, stream, at: deadline - 1) == nil && machine.deadline == deadline)
        #expect(advance(&machine, stream, at: deadline) == .castGaveNoFrame(seconds: 3))
        #expect(machine.deadline == nil)
    }

    @Test func `what ends it, by what it was`() {
        let endings: [(Stream, VideoSourceError, VideoSourceError)] = [
            (.unconnected("broken"), .castLost("broken"), .castLost("broken")),
            (.unconnected(""), .castRefused(""), .screenCastClosed),
            (.nodeGone, .castRefused(""), .screenCastClosed),
            (
                .refused("no more input formats"), .castRefused("no more input formats"),
                .castLost("no more input formats")
            ),
        ]
        for (stream, whileOpening, later) in endings {
            var machine = opening()
            #expect(advance(&machine, stream, at: 1001) == whileOpening)
            machine.noteFrame()
            #expect(advance(&machine, .streaming, at: 1002) == whileOpening, "an end is for ever")
            machine = running()
            #expect(advance(&machine, stream, at: 1001) == later)
            machine = running()
            #expect(advance(&machine, .paused, at: 1001) == nil)
            #expect(advance(&machine, stream, at: 1002) == later)
        }
    }

    @Test(arguments: [Stream.paused, .connecting])
    func `a short pause is none, a long one the end`(stream: CastStateMachine.Stream) {
        var machine = running()
        #expect(advance(&machine, .streaming, at: 5000) == nil && machine.deadline == nil)
        #expect(advance(&machine, stream, at: 6000) == nil && machine.deadline == 6100)
        #expect(advance(&machine, stream, at: 6099) == nil && machine.deadline == 6100)
        #expect(advance(&machine, .streaming, at: 6100) == nil && machine.deadline == nil)
        #expect(advance(&machine, stream, at: 7000) == nil && machine.deadline == 7100)
        machine.noteFrame()
        #expect(advance(&machine, stream, at: 7100) == .castStopped)
    }

    @Test func `a still screen is no end`() {
        var machine = running()
        #expect(advance(&machine, .streaming, at: .max) == nil && machine.deadline == nil)
    }

    @Test func `the first frame ends the wait, whatever the stream does`() {
        var machine = opening()
        machine.noteFrame()
        #expect(advance(&machine, .streaming, at: 1000 + Self.limits.opening) == nil)
    }
}
