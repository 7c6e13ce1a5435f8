// An app's connection with an extension that may be hostile.
import KineMedia
import KineRings
import KineWire
import Testing

@testable import KinecastExchange

@Suite struct FrameChannelTests {
    /// The extension's end of a channel, which has said hello, and a piece of audio at the beginning of its ring.
    private struct Extension {
        let channel: FrameChannel
        let counter = FrameCounter()
        private let socket: PacketSocket
        private let samples: StreamSender

        init(at time: MediaTime = .zero, duration: MediaTime = .milliseconds(10)) throws {
            samples = try StreamSender(video: false, frames: nil, sampleRingBytes: 1 << 16)
            let ends = try PacketSocket.pair()
            socket = PacketSocket(adopting: ends.0)
            channel = FrameChannel(
                socket: PacketSocket(adopting: ends.1), take: "take", service: "service", destination: 0)
            let audio = AudioFormat.pcm(.audioApp, sampleRate: 48000, channels: 2)
            let stream = StreamDescription(
                framesPerSecond: 30, video: nil, frames: nil, audio: [audio], sampleRingBytes: samples.sampleRingBytes)
            [Float](repeating: 0.25, count: 960).withUnsafeBufferPointer {
                samples.sendAudio(type: .audioApp, interleaved: $0, at: time, duration: duration)
            }
            #expect(socket.send(.hello(stream), descriptors: [samples.descriptors[0]]))
            #expect(channel.receive({ _, _ in }, counter) == .connected)
        }

        /// What becomes of the piece, passed on with these losses.
        func pass(_ frames: UInt64, _ audio: UInt64) -> FrameChannel.Step {
            let lost = FramePacket.Losses(frames: frames, audio: audio)
            #expect(socket.send(.record(number: 1, position: 0, lost: lost)))
            return channel.receive({ _, _ in }, counter)
        }
    }

    @Test func `losses are counted from the first packet on`() throws {
        let sender = try Extension()
        #expect(sender.pass(7, 20) == .sample)
        #expect(sender.pass(9, 50) == .sample && sender.pass(1 << 53, 1 << 53) == .sample)
        #expect(sender.counter.counts.framesLost == 1 << 53 - 7)
        #expect(sender.counter.counts.audioLost == .nanoseconds(1 << 53 - 20))
        #expect(sender.pass(1 << 53 + 1, 1 << 53) == .ended)
    }

    @Test(arguments: [(4, 50), (5, 49), (.max, 50), (5, .max), (1 << 53 + 1, 50)] as [(UInt64, UInt64)])
    func `a counter that falls, or that no sender reaches, ends the channel`(frames: UInt64, audio: UInt64) throws {
        let sender = try Extension()
        #expect(sender.pass(5, 50) == .sample)
        #expect(sender.pass(frames, audio) == .ended)
        #expect(sender.counter.counts.framesLost == 0 && sender.counter.counts.audioSamples == 1)
    }

    @Test(arguments: [(.max, 0), (.min, 0), (0, .max), (0, .min)] as [(Int64, Int64)])
    func `a time with which nothing can be computed ends the channel`(time: Int64, duration: Int64) throws {
        let sender = try Extension(
            at: MediaTime(nanoseconds: time), duration: MediaTime(nanoseconds: duration))
        #expect(sender.pass(0, 0) == .ended)
    }

    @Test func `counts of many channels do not overflow`() {
        var counts = FrameReceiver.Counts()
        counts.framesLost = .max - 1
        for _ in 0..<3 { counts.addLost(frames: 1 << 53, audio: MediaTime(nanoseconds: .max)) }
        #expect(counts.framesLost == .max)
        #expect(counts.audioLost == .nanoseconds(Int64.max) * 3)
    }
}
