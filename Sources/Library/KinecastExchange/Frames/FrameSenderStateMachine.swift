// Decides the result of each sample that an extension passes on. No socket, no clock: events carry the time, and
// `FrameSenderDriver` carries out the actions.
import KineMedia
import KineWire

/// Sends one sample at a time to all receivers. Times are nanoseconds of CLOCK_MONOTONIC.
struct FrameSenderStateMachine {
    enum Sample: Equatable {
        /// `skipped`: earlier frames that the extension itself did not get.
        case frame(skipped: UInt64)
        case audio(duration: MediaTime)
    }

    enum Event: Equatable {
        case receiverCame(Int)
        /// The receiver has closed its end, or broken the protocol.
        case receiverGone(Int)
        case send(Sample)
        case released(Int, number: UInt64)
        case timePassed
    }

    enum Action: Equatable {
        /// `receiverGone` follows if it fails.
        case offer(to: Int, number: UInt64, lost: FramePacket.Losses)
        /// The receiver has held a sample for too long.
        case close(Int)
        case finish(FrameSender.Delivery)
    }

    /// A sample that is not finished.
    private struct Pending {
        var sample: Sample
        /// Nil: the sample waits for a receiver.
        var number: UInt64?
        /// The receivers that hold it.
        var holders: Set<Int> = []
        var wasReleased = false
        var wasTaken = false
        var deadline: Int64
        /// The latest deadline, however many receivers come and go.
        let limit: Int64
    }

    /// Nanoseconds that a receiver may hold a sample.
    static let timeout: Int64 = 1_000_000_000

    private let wait: Int64
    private var receivers: Set<Int> = []
    private var pending: Pending?
    private var lastNumber: UInt64 = 0
    private(set) var lost = FramePacket.Losses()
    private(set) var delivered = 0

    /// - Parameter wait: nanoseconds for a first receiver; 0: without a receiver a sample is lost at once.
    init(wait: Int64) { self.wait = min(max(wait, 0), Self.timeout) }

    var isSending: Bool { pending != nil }
    var receiverCount: Int { receivers.count }
    /// The time to send `timePassed`; nil: no timer runs.
    var deadline: Int64? { pending?.deadline }

    mutating func handle(_ event: Event, at now: Int64) -> [Action] {
        switch event {
        case .receiverCame(let receiver):
            receivers.insert(receiver)
            guard let pending, pending.number == nil else { return [] }
            return offer(at: now)
        case .receiverGone(let receiver):
            receivers.remove(receiver)
            guard var pending, pending.holders.remove(receiver) != nil else { return [] }
            if pending.holders.isEmpty, !pending.wasReleased, wait > 0, now < pending.deadline {
                // The sample is offered again when the receiver restarts.
                pending.number = nil
                pending.deadline = min(pending.deadline, now + wait)
            }
            self.pending = pending
            return finishIfDone(at: now)
        case .send(let sample):
            precondition(pending == nil, "one sample at a time")
            if case .frame(let skipped) = sample { lost.frames += skipped }
            pending = Pending(sample: sample, deadline: now + wait, limit: now + wait + Self.timeout)
            return receivers.isEmpty && wait > 0 ? [] : offer(at: now)
        case .released(let receiver, let number):
            guard var pending, pending.number == number, pending.holders.remove(receiver) != nil else { return [] }
            pending.wasReleased = true
            self.pending = pending
            return finishIfDone(at: now)
        case .timePassed:
            guard var pending, now >= pending.deadline else { return [] }
            let late = pending.holders
            receivers.subtract(late)
            pending.wasTaken = !late.isEmpty
            pending.holders = []
            self.pending = pending
            return late.sorted().map { .close($0) } + finish()
        }
    }

    private mutating func offer(at now: Int64) -> [Action] {
        guard var pending else { return [] }
        lastNumber += 1
        pending.number = lastNumber
        pending.holders = receivers
        pending.deadline = min(now + Self.timeout, pending.limit)
        self.pending = pending
        return receivers.sorted().map { .offer(to: $0, number: lastNumber, lost: lost) } + finishIfDone(at: now)
    }

    /// A sample without a number still waits for a receiver.
    private mutating func finishIfDone(at now: Int64) -> [Action] {
        guard let pending, pending.number != nil, pending.holders.isEmpty else { return [] }
        return finish()
    }

    private mutating func finish() -> [Action] {
        guard let pending else { return [] }
        self.pending = nil
        if pending.wasReleased {
            delivered += 1
            return [.finish(.delivered)]
        }
        switch pending.sample {
        case .frame: lost.frames += 1
        case .audio(let duration): lost.audio += UInt64(max(0, duration.nanoseconds))
        }
        return [.finish(pending.wasTaken ? .timedOut : .noReceiver)]
    }
}
