// A frame sender's connections with receivers, and the thread that reads their replies.
import KineMedia
import KinePlatform
import KineRings
import KineWire
import Synchronization
import SystemPackage

/// Carries out the actions of a FrameSenderStateMachine. Its thread reads the receivers' replies.
final class FrameSenderDriver: Sendable {
    private struct State {
        var machine: FrameSenderStateMachine
        /// With the format of the newest encoded frame.
        var stream: StreamDescription
        var sockets: [Int: PacketSocket] = [:]
        var lastReceiver = 0
        var place: SamplePlace?
        var continuation: CheckedContinuation<FrameSender.Delivery, Never>?
        var isEnding = false
        /// Whether the thread sleeps until it is woken, because nothing was sent for a while.
        var isIdle = false
        var lastSend: Int64 = 0
    }

    private let view: StreamView
    private let isEncoded: Bool
    private let state: Mutex<State>
    private let wake = WakeSignal()
    /// The most receivers; each maps the memory.
    private static let mostReceivers = 8

    init(view: StreamView, stream: StreamDescription, policy: FrameSender.Policy) throws(GroupError) {
        self.view = view
        isEncoded = stream.frames == nil && stream.video != nil
        let wait: Int64 =
            switch policy {
            case .newest: 0
            case .everyFrame(let wait): MediaTime(wait).nanoseconds
            }
        state = Mutex(State(machine: FrameSenderStateMachine(wait: wait), stream: stream))
        do throws(Errno) {
            _ = try DedicatedThread(starting: "frames") { [weak self] in
                while let driver = self, driver.serve() {}
            }
        } catch {
            throw .system(operation: "Starting the thread of a frame sender", error)
        }
    }

    func end() {
        state.withLock { $0.isEnding = true }
        wake.signal()
    }

    var counts: FrameSender.Counts {
        state.withLock { state in
            FrameSender.Counts(
                delivered: state.machine.delivered, framesLost: Int(clamping: state.machine.lost.frames),
                audioLost: .nanoseconds(Int64(clamping: state.machine.lost.audio)),
                receivers: state.machine.receiverCount)
        }
    }

    /// Takes ownership of the descriptor.
    func add(_ descriptor: FileDescriptor) {
        let socket = PacketSocket(adopting: descriptor)
        state.withLock { state in
            guard state.sockets.count < Self.mostReceivers,
                socket.send(.hello(state.stream), descriptors: view.descriptors)
            else { return }
            state.lastReceiver += 1
            state.sockets[state.lastReceiver] = socket
            handle(.receiverCame(state.lastReceiver), &state)
        }
        wake.signal()
        // A receiver of encoded frames can decode only from a keyframe on.
        if isEncoded { EngineLink.shared.send(.needsKeyframe) }
    }

    func send(_ place: SamplePlace, duration: MediaTime, format: SampleFormat) async -> FrameSender.Delivery {
        await withCheckedContinuation { continuation in
            let isBusy = state.withLock { state -> Bool in
                guard !state.machine.isSending else { return true }
                if isEncoded, case .encoded(let video) = format { follow(video, &state) }
                state.continuation = continuation
                state.place = place
                state.lastSend = MonotonicClock.now()
                if state.isIdle { wake.signal() }
                state.isIdle = false
                switch place {
                case .frame(_, _, let skipped): handle(.send(.frame(skipped: skipped)), &state)
                case .record: handle(.send(.audio(duration: duration)), &state)
                }
                return false
            }
            if isBusy { continuation.resume(returning: .busy) }
        }
    }

    // Called with the lock held.

    /// Disconnects receivers of frames of another format: they come back at once, and get the new description.
    private func follow(_ format: VideoFormat, _ state: inout State) {
        guard state.stream.video?.format != format else { return }
        state.stream.video?.format = format
        for receiver in state.sockets.keys {
            close(receiver, &state)
            handle(.receiverGone(receiver), &state)
        }
    }

    private func handle(_ event: FrameSenderStateMachine.Event, _ state: inout State) {
        var events = [event]
        while !events.isEmpty {
            for action in state.machine.handle(events.removeFirst(), at: MonotonicClock.now()) {
                switch action {
                case .offer(let receiver, let number, let lost):
                    guard let place = state.place, let socket = state.sockets[receiver] else { continue }
                    let packet: FramePacket =
                        switch place {
                        case .frame(let sequence, let slot, _):
                            .frame(number: number, sequence: sequence, slot: slot, lost: lost)
                        case .record(let position): .record(number: number, position: position, lost: lost)
                        }
                    if !socket.send(packet) {
                        close(receiver, &state)
                        events.append(.receiverGone(receiver))
                    }
                case .close(let receiver): close(receiver, &state)
                case .finish(let delivery):
                    state.place = nil
                    state.continuation.take()?.resume(returning: delivery)
                }
            }
        }
    }

    private func close(_ receiver: Int, _ state: inout State) {
        state.sockets.removeValue(forKey: receiver)?.close()
    }

    // The thread.

    /// Returns false at the end.
    private func serve() -> Bool {
        let (sockets, deadline, isEnding) = state.withLock { state in
            let now = MonotonicClock.now()
            var deadline = state.machine.deadline
            if deadline == nil, now - state.lastSend < Self.restlessness {
                // Regular wake-ups find samples that are held too long, so that sending need not wake the thread.
                deadline = now + Self.interval
            }
            state.isIdle = deadline == nil
            return (state.sockets.sorted { $0.key < $1.key }, deadline, state.isEnding)
        }
        if isEnding {
            state.withLock { state in
                for receiver in state.sockets.keys {
                    close(receiver, &state)
                    handle(.receiverGone(receiver), &state)
                }
            }
            return false
        }
        let ready = WakeSignal.poll([wake.descriptor] + sockets.map(\.value.descriptor.rawValue), until: deadline)
        if ready[0] { wake.clear() }
        for (index, (receiver, socket)) in sockets.enumerated() where ready[index + 1] { read(receiver, socket) }
        state.withLock { handle(.timePassed, &$0) }
        return true
    }

    /// Nanoseconds after the last sample during which the thread wakes at intervals, and the interval.
    private static let restlessness: Int64 = 2_000_000_000
    private static let interval: Int64 = 100_000_000

    private func read(_ receiver: Int, _ socket: PacketSocket) {
        while true {
            switch socket.receive() {
            case .packet(.released(let number), let descriptors) where descriptors.isEmpty:
                state.withLock { handle(.released(receiver, number: number), &$0) }
            case .none: return
            case .packet(_, let descriptors):
                for descriptor in descriptors { try? descriptor.close() }
                fallthrough
            case .closed, .protocolViolation:
                state.withLock { state in
                    close(receiver, &state)
                    handle(.receiverGone(receiver), &state)
                }
                return
            }
        }
    }
}
