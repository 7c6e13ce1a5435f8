// When a cast is open, when it has ended, and when it is started again.
import KineMedia
import Testing

@testable import KineCapture
@testable import KinePipeWire

@Suite struct CastStateMachineTests {
    private typealias Stream = CastStateMachine.Stream
    private static let limits = CastStateMachine.Limits(opening: 3_000_000_000, pause: 100, newFormat: 10)

    private func opening() -> CastStateMachine { CastStateMachine(now: 1000, limits: Self.limits) }

    private func running() -> CastStateMachine {
        var machine = opening()
        machine.noteFrame()
        return machine
    }

    /// The error with which it ends; nil: it goes on.
    private func advance(_ machine: inout CastStateMachine, _ stream: Stream, at now: Int64) -> VideoSourceError? {
        do throws(VideoSourceError) {
            _ = try machine.advance(stream, at: now)
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

    // MARK: Another format

    private static let size = PixelSize(width: 320, height: 200)

    @Test func `a cast that gives no frame in its new format is started again, three times for each size`() throws {
        var machine = running()
        var now: Int64 = 2000
        for size in [Self.size, PixelSize(width: 64, height: 48), Self.size] {
            for wait: Int64 in [10, 40, 160] {
                #expect(try machine.advance(.streaming, awaiting: .firstOfFormat(size), at: now) == nil)
                #expect(machine.deadline == now + wait)
                now += wait
                #expect(try machine.advance(.streaming, awaiting: .firstOfFormat(size), at: now - 1) == nil)
                #expect(try machine.advance(.streaming, awaiting: .firstOfFormat(size), at: now) == .pause)
                #expect(
                    try machine.advance(.streaming, awaiting: .firstOfFormat(size), at: now + 1) == nil,
                    "it takes a moment")
                #expect(try machine.advance(.paused, awaiting: .firstOfFormat(size), at: now + 2) == .resume)
                #expect(try machine.advance(.paused, awaiting: .firstOfFormat(size), at: now + 3) == nil)
                now += 4
            }
            #expect(try machine.advance(.streaming, awaiting: .firstOfFormat(size), at: now) == nil)
            #expect(machine.deadline == nil)
        }
        #expect(try machine.advance(.streaming, at: now) == nil)
        #expect(try machine.advance(.streaming, awaiting: .firstOfFormat(Self.size), at: now) == nil)
        #expect(machine.deadline == now + 10, "a frame has come in the meantime")
    }

    @Test func `a frame in the new format in time starts nothing again`() throws {
        var machine = running()
        #expect(try machine.advance(.streaming, awaiting: .firstOfFormat(Self.size), at: 2000) == nil)
        #expect(try machine.advance(.streaming, at: 2010) == nil)
        #expect(machine.deadline == nil)
        #expect(try machine.advance(.streaming, awaiting: .firstOfFormat(Self.size), at: 3000) == nil)
        #expect(
            try machine.advance(.paused, awaiting: .firstOfFormat(Self.size), at: 3010) == nil, "it pauses by itself")
        #expect(machine.deadline == 3110)
        #expect(try machine.advance(.streaming, awaiting: .firstOfFormat(Self.size), at: 3020) == nil)
        #expect(machine.deadline == 3030, "the wait begins when it goes on")
    }

    @Test func `a window whose size goes on changing is waited for no longer than one whose size stays`() throws {
        var machine = running()
        for width in 0..<10 {
            let size = PixelSize(width: 100 + width, height: 100)
            #expect(try machine.advance(.streaming, awaiting: .firstOfFormat(size), at: 2000 + Int64(width)) == nil)
        }
        #expect(try machine.advance(.streaming, awaiting: .firstOfFormat(Self.size), at: 2010) == .pause)
    }

    @Test func `while frames come in new sizes, a second one of a size is not waited for`() throws {
        var machine = running()
        for width in 0..<10 {
            let awaited = AwaitedFrame.secondOfSize(PixelSize(width: 100 + width, height: 100))
            #expect(try machine.advance(.streaming, awaiting: awaited, at: 2000 + 9 * Int64(width)) == nil)
            #expect(machine.deadline == 2010 + 9 * Int64(width))
        }
        let last = AwaitedFrame.secondOfSize(PixelSize(width: 109, height: 100))
        #expect(try machine.advance(.streaming, awaiting: last, at: 2090) == nil)
        #expect(try machine.advance(.streaming, awaiting: last, at: 2091) == .pause)
    }

    @Test(arguments: [Stream.streaming, .paused])
    func `a cast that does not start again has stopped`(stream: CastStateMachine.Stream) throws {
        var machine = running()
        _ = try machine.advance(.streaming, awaiting: .firstOfFormat(Self.size), at: 2000)
        #expect(try machine.advance(.streaming, awaiting: .firstOfFormat(Self.size), at: 2010) == .pause)
        #expect(
            try machine.advance(stream, awaiting: .firstOfFormat(Self.size), at: 2011)
                == (stream == .paused ? .resume : nil))
        let deadline = try #require(machine.deadline)
        #expect(advance(&machine, stream, at: deadline - 1) == nil)
        #expect(advance(&machine, stream, at: deadline) == .castStopped)
    }

    @Test func `before its first frame a cast is not started again`() throws {
        var machine = opening()
        #expect(try machine.advance(.streaming, awaiting: .firstOfFormat(Self.size), at: 2000) == nil)
        #expect(machine.deadline == 1000 + Self.limits.opening)
    }
}
