// A frame receiver's connection with one extension: checks each packet, and lends the sample that it names.
import KineMedia
import KineRings
import KineWire
import SystemPackage

final class FrameChannel {
    enum Step {
        case connected
        case sample
        case nothing
        case ended
    }

    let socket: PacketSocket
    let take: String
    let service: String
    let destination: Int
    private var memory: (view: StreamView, stream: StreamDescription)?
    private var lost: FramePacket.Losses?
    private var seen: Set<SampleBufferType> = []

    init(socket: PacketSocket, take: String, service: String, destination: Int) {
        self.socket = socket
        self.take = take
        self.service = service
        self.destination = destination
    }

    /// Whether the extension has described its streams.
    var isConnected: Bool { memory != nil }
    /// Whether a sample was released in time.
    private(set) var hasDelivered = false

    /// Reads one packet, and calls the handler with its sample.
    func receive(_ handler: FrameReceiver.Handler, _ counter: FrameCounter) -> Step {
        switch socket.receive() {
        case .none: return .nothing
        case .closed, .protocolViolation: return .ended
        case .packet(.hello(let stream), let descriptors): return begin(stream, descriptors)
        case .packet(let packet, let descriptors):
            for descriptor in descriptors { try? descriptor.close() }
            guard let (view, stream) = memory, descriptors.isEmpty else { return .ended }
            switch packet {
            // If a sample cannot be released, the extension has already taken it back: the handler kept it too long.
            case .frame(let number, let sequence, let slot, let lost):
                guard let skipped = note(lost, counter)?.frames,
                    let sample = SampleBuffer(
                        frameIn: slot, sequence: sequence, skipped: skipped, isFirst: isFirst(.video), of: view)
                else { return .ended }
                handler(sample, .video)
                let isReleased = socket.send(.released(number: number))
                if isReleased { hasDelivered = true }
                counter.change { if isReleased { $0.frames += 1 } else { $0.addLost(frames: 1, audio: .zero) } }
                return isReleased ? .sample : .ended
            case .record(let number, let position, let lost):
                guard let missed = note(lost, counter) else { return .ended }
                if missed != FramePacket.Losses() { seen = [] }
                guard let type = view.recordType(at: position),
                    let sample = SampleBuffer(
                        recordAt: position, of: view, in: stream,
                        skipped: type == .video ? Int(clamping: missed.frames) : 0, isFirst: isFirst(type))
                else { return .ended }
                let duration = sample.duration
                handler(sample, type)
                let isReleased = socket.send(.released(number: number))
                if isReleased { hasDelivered = true }
                counter.change { counts in
                    switch (type, isReleased) {
                    case (.video, true): counts.frames += 1
                    case (.video, false): counts.addLost(frames: 1, audio: .zero)
                    case (_, true): counts.audioSamples += 1
                    case (_, false): counts.addLost(frames: 0, audio: duration)
                    }
                }
                return isReleased ? .sample : .ended
            case .hello, .released: return .ended
            }
        }
    }

    private func begin(_ stream: StreamDescription, _ descriptors: [FileDescriptor]) -> Step {
        guard memory == nil, let samples = descriptors.first, descriptors.count <= 2,
            let view = try? StreamView(
                stream, samples: samples, frames: descriptors.count == 2 ? descriptors[1] : nil)
        else {
            if memory != nil || !(1...2).contains(descriptors.count) {
                for descriptor in descriptors { try? descriptor.close() }
            }
            return .ended
        }
        memory = (view, stream)
        return .connected
    }

    /// Whether this is the first sample of that type since the connection began, or since samples were lost.
    private func isFirst(_ type: SampleBufferType) -> Bool { seen.insert(type).inserted }

    /// Counts and returns the sender's losses since the previous packet; nil if the counts are impossible.
    private func note(_ lost: FramePacket.Losses, _ counter: FrameCounter) -> FramePacket.Losses? {
        // Earlier losses may be from a time without a receiver.
        guard let new = lost.added(since: self.lost ?? lost) else { return nil }
        self.lost = lost
        counter.change { $0.addLost(frames: new.frames, audio: MediaTime(nanoseconds: Int64(new.audio))) }
        return new
    }
}
