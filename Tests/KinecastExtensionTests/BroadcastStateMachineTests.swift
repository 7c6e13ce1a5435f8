// The order of callbacks, without a handler.
import KineMedia
import KineRings
import KineWire
import Testing

@testable import KinecastExtension

@Suite struct BroadcastStateMachineTests {
    private typealias Machine = BroadcastStateMachine
    private static let start = ExtensionStart(
        service: "test", setupInfo: [:],
        stream: StreamDescription(
            framesPerSecond: 30, video: nil, frames: nil, audio: [],
            sampleRingBytes: 4096), memoryLimit: 0)

    private func running() -> Machine {
        var machine = Machine()
        machine.receive(.start(Self.start))
        _ = machine.next(Machine.Front())
        return machine
    }

    private func front(
        read: UInt64 = 0, record: Int64? = nil, frame: (UInt64, Int64)? = nil
    ) -> Machine.Front {
        Machine.Front(
            readPosition: read, record: record.map { MediaTime(nanoseconds: $0) },
            frame: frame.map { ($0.0, MediaTime(nanoseconds: $0.1)) })
    }

    @Test func `nothing happens before the start`() {
        var machine = Machine()
        #expect(machine.next(front(record: 1)) == .wait)
        machine.receive(.start(Self.start))
        #expect(machine.next(front(record: 1)) == .start(Self.start))
        #expect(machine.next(front(record: 1)) == .deliverRecord)
    }

    @Test func `the older sample comes first`() {
        var machine = running()
        #expect(machine.next(front(record: 5, frame: (1, 6))) == .deliverRecord)
        #expect(machine.next(front(record: 5, frame: (1, 5))) == .deliverRecord)
        #expect(machine.next(front(record: 5, frame: (1, 4))) == .deliverFrame)
        #expect(machine.next(front(frame: (1, 4))) == .deliverFrame)
        #expect(machine.next(front()) == .wait)
    }

    @Test func `a pause comes after what was sent before it and before what was sent after it`() {
        var machine = running()
        machine.receive(.pause(after: StreamPosition(samples: 100, frames: 3)))
        // Older in time, but sent after the pause.
        #expect(machine.next(front(read: 100, record: 1, frame: (3, 9))) == .deliverFrame)
        #expect(machine.next(front(read: 60, record: 9, frame: (4, 1))) == .deliverRecord)
        #expect(machine.next(front(read: 100, record: 1, frame: (4, 1))) == .pause)
        #expect(machine.next(front(read: 100, record: 1)) == .deliverRecord)
    }

    @Test func `requests keep their order, and a pause during a pause is ignored`() {
        var machine = running()
        let position = StreamPosition(samples: 8, frames: 0)
        machine.receive(.pause(after: position))
        machine.receive(.annotate(["a": "b"], after: position))
        machine.receive(.pause(after: position))
        machine.receive(.resume(after: position))
        machine.receive(.resume(after: position))
        machine.receive(.finish(after: position, seconds: 5))
        #expect(machine.next(front(read: 8)) == .pause)
        #expect(machine.next(front(read: 8)) == .annotate(["a": "b"]))
        #expect(machine.next(front(read: 8)) == .resume)
        #expect(machine.next(front(read: 8)) == .finish)
        #expect(machine.next(front(read: 8)) == .end)
    }

    @Test func `requests of a later version are ignored`() {
        var machine = Machine()
        machine.receive(.unknown("prepare"))
        #expect(!machine.hasStart && machine.next(front()) == .wait)
        machine = running()
        machine.receive(.unknown("blink"))
        #expect(machine.next(front(record: 1)) == .deliverRecord && machine.next(front()) == .wait)
    }

    @Test func `nothing is delivered after finish`() {
        var machine = running()
        machine.receive(.finish(after: StreamPosition(), seconds: 5))
        #expect(machine.next(front(record: 1, frame: (1, 1))) == .finish)
        #expect(machine.next(front(record: 1, frame: (1, 1))) == .end)
        #expect(machine.next(front(record: 1)) == .end)
    }

    @Test func `when the engine has gone, what it sent is delivered and then the broadcast finishes`() {
        var machine = running()
        machine.engineGone()
        #expect(machine.next(front(record: 1)) == .deliverRecord)
        #expect(machine.next(front()) == .finish)
        #expect(machine.next(front()) == .end)
    }

    @Test func `the broadcast ends when the engine goes before the start`() {
        var machine = Machine()
        machine.engineGone()
        #expect(machine.next(front()) == .end)
    }

    @Test func `nothing is called after a failure`() {
        var machine = running()
        machine.receive(.finish(after: StreamPosition(), seconds: 5))
        machine.fail()
        #expect(machine.next(front(record: 1)) == .end)
        #expect(machine.next(front(record: 1)) == .end)
    }
}
