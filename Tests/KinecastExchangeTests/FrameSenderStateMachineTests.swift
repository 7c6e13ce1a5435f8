// What becomes of samples that an extension passes on, on a clock of the test's own.
import KineMedia
import KineWire
import Testing

@testable import KinecastExchange

@Suite struct FrameSenderStateMachineTests {
    typealias Machine = FrameSenderStateMachine
    private static let second: Int64 = 1_000_000_000

    private func offer(_ receiver: Int, _ number: UInt64, lost: UInt64 = 0) -> Machine.Action {
        .offer(to: receiver, number: number, lost: FramePacket.Losses(frames: lost))
    }

    @Test func `a sample is delivered when all receivers have let it go`() {
        var machine = Machine(wait: 0)
        _ = machine.handle(.receiverCame(1), at: 0)
        _ = machine.handle(.receiverCame(2), at: 0)
        #expect(machine.handle(.send(.frame(skipped: 0)), at: 5) == [offer(1, 1), offer(2, 1)])
        #expect(machine.deadline == 5 + Self.second)
        #expect(machine.handle(.released(2, number: 1), at: 6) == [])
        #expect(machine.handle(.released(2, number: 1), at: 6) == [], "it counts once")
        #expect(machine.handle(.released(1, number: 1), at: 7) == [.finish(.delivered)])
        #expect(machine.delivered == 1 && machine.lost == FramePacket.Losses() && machine.deadline == nil)
    }

    @Test func `without a receiver a sample is lost at once, and the next receiver is told how many were`() {
        var machine = Machine(wait: 0)
        #expect(machine.handle(.send(.frame(skipped: 2)), at: 0) == [.finish(.noReceiver)])
        #expect(machine.handle(.send(.audio(duration: .seconds(0.01))), at: 0) == [.finish(.noReceiver)])
        _ = machine.handle(.receiverCame(1), at: 1)
        let lost = FramePacket.Losses(frames: 3, audio: 10_000_000)
        #expect(machine.handle(.send(.frame(skipped: 0)), at: 2) == [.offer(to: 1, number: 3, lost: lost)])
    }

    @Test func `a receiver that holds a sample for a second is disconnected, and the sample lost`() {
        var machine = Machine(wait: 0)
        _ = machine.handle(.receiverCame(1), at: 0)
        _ = machine.handle(.send(.frame(skipped: 0)), at: 0)
        #expect(machine.handle(.timePassed, at: Self.second - 1) == [])
        #expect(machine.handle(.timePassed, at: Self.second) == [.close(1), .finish(.timedOut)])
        #expect(machine.lost.frames == 1 && machine.receiverCount == 0)
        #expect(machine.handle(.released(1, number: 1), at: Self.second + 1) == [])
    }

    @Test func `of two receivers the one that hangs is disconnected, and the sample is delivered`() {
        var machine = Machine(wait: 0)
        _ = machine.handle(.receiverCame(1), at: 0)
        _ = machine.handle(.receiverCame(2), at: 0)
        _ = machine.handle(.send(.frame(skipped: 0)), at: 0)
        _ = machine.handle(.released(1, number: 1), at: 1)
        #expect(machine.handle(.timePassed, at: Self.second) == [.close(2), .finish(.delivered)])
        #expect(machine.lost.frames == 0 && machine.receiverCount == 1)
    }

    @Test func `a receiver that goes with a sample loses it`() {
        var machine = Machine(wait: 0)
        _ = machine.handle(.receiverCame(1), at: 0)
        _ = machine.handle(.send(.frame(skipped: 0)), at: 0)
        #expect(machine.handle(.receiverGone(1), at: 1) == [.finish(.noReceiver)])
        #expect(machine.lost.frames == 1)
    }

    @Test func `where every frame is wanted, a sample waits for a receiver that starts again`() {
        var machine = Machine(wait: Self.second / 2)
        _ = machine.handle(.receiverCame(1), at: 0)
        _ = machine.handle(.send(.frame(skipped: 0)), at: 0)
        #expect(machine.handle(.receiverGone(1), at: 10) == [])
        #expect(machine.deadline == 10 + Self.second / 2)
        #expect(machine.handle(.receiverCame(2), at: 20) == [offer(2, 2)])
        #expect(machine.handle(.released(1, number: 2), at: 25) == [], "the one that is gone releases nothing")
        #expect(machine.handle(.released(2, number: 2), at: 30) == [.finish(.delivered)])
    }

    @Test func `it waits for as long as it may, and a second at most`() {
        var machine = Machine(wait: 30 * Self.second)
        #expect(machine.handle(.send(.frame(skipped: 0)), at: 0) == [])
        #expect(machine.deadline == Self.second)
        #expect(machine.handle(.timePassed, at: Self.second) == [.finish(.noReceiver)])
        #expect(machine.lost.frames == 1 && !machine.isSending)
    }
}
