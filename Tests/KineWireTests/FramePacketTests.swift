// The packets between an extension that passes samples on and the process that gets them.
import Glibc
import KineMedia
import RelayTesting
import SystemPackage
import Testing

@testable import KineRings
@testable import KineWire

@Suite struct FramePacketTests {
    private static let stream = StreamDescription(
        framesPerSecond: 30, video: nil,
        frames: FrameSlotLayout(pixelFormat: .i420, visibleSize: PixelSize(width: 641, height: 360), slotCount: 4),
        audio: [AudioFormat.pcm(.audioApp, sampleRate: 48000, channels: 2)],
        sampleRingBytes: 1 << 16)
    private static let lost = FramePacket.Losses(frames: 3, audio: 20_000_000)
    private static let packets: [FramePacket] = [
        .hello(stream), .frame(number: 1, sequence: 77, slot: 3, lost: lost),
        .record(number: 2, position: 4096, lost: lost), .released(number: .max),
    ]

    @Test func `a packet is read as it was written`() throws {
        for packet in Self.packets {
            let bytes = try #require(packet.bytes)
            #expect(bytes.withUnsafeBytes { FramePacket($0) } == packet)
        }
    }

    @Test func `bytes that are no packet are refused`() throws {
        for packet in Self.packets {
            let bytes = try #require(packet.bytes)
            for count in 0..<bytes.count {
                #expect(bytes[..<count].withUnsafeBytes { FramePacket($0) } == nil, "\(count) bytes")
            }
            #expect((bytes + [0]).withUnsafeBytes { FramePacket($0) } == nil || packet == .hello(Self.stream))
        }
        #expect([9, 0, 0, 0].withUnsafeBytes { FramePacket($0) } == nil)
        let nested = [1, 0, 0, 0] + [UInt8](repeating: UInt8(ascii: "["), count: 60_000)
        #expect(nested.withUnsafeBytes { FramePacket($0) } == nil)
    }

    @Test func `packets arrive whole, in order and with their descriptors, and the end is seen`() throws {
        let ends = try PacketSocket.pair()
        let (one, other) = (PacketSocket(adopting: ends.0), PacketSocket(adopting: ends.1))
        #expect(other.receive() == .none)
        let memory = try SharedMemory(name: "test", byteCount: 1, access: .writableHereOnly)
        for packet in Self.packets {
            #expect(one.send(packet, descriptors: packet == Self.packets[0] ? [memory.descriptor] : []))
        }
        for packet in Self.packets {
            guard case .packet(let received, let descriptors) = other.receive() else {
                Issue.record("no packet")
                return
            }
            #expect(received == packet && descriptors.count == (packet == Self.packets[0] ? 1 : 0))
            for descriptor in descriptors { try descriptor.close() }
        }
        one.close()
        #expect(other.receive() == .closed)
        #expect(!other.send(.released(number: 1)))
    }

    @Test func `a second reader sees the same frames and audio, and none that is not there`() throws {
        let layout = try #require(Self.stream.frames)
        let frames = try FrameMemory(layout: layout)
        let sender = try StreamSender(video: false, frames: layout, sampleRingBytes: 1 << 16)
        var stream = Self.stream
        stream.sampleRingBytes = sender.sampleRingBytes
        func copy(_ descriptor: FileDescriptor) -> FileDescriptor { FileDescriptor(rawValue: dup(descriptor.rawValue)) }
        let receiver = try StreamReceiver(
            stream, descriptors: (sender.descriptors + [frames.descriptor]).map { copy($0) })
        let passed = receiver.view.descriptors.map { copy($0) }
        let view = try StreamView(stream, samples: passed[0], frames: passed[1])

        frames.slot(2).storeBytes(of: 0xab, as: UInt8.self)
        var damage = DamageRegion(size: layout.size)
        damage.insert(PixelRect(x: 0, y: 0, width: 16, height: 16))
        _ = try sender.offer(slot: 2, at: .seconds(1), duration: .seconds(0.5), damage: damage, orientation: .left)
        [Float](repeating: 0.25, count: 960).withUnsafeBufferPointer {
            sender.sendAudio(type: .audioApp, interleaved: $0, at: .seconds(2), duration: .seconds(0.01))
        }
        let frame = try #require(try receiver.nextFrame())
        let record = try #require(try receiver.nextRecord())
        guard
            let seen = SampleBuffer(
                frameIn: frame.slot, sequence: frame.sequence, skipped: 5, isFirst: false, of: view),
            let heard = SampleBuffer(recordAt: record.position, of: view, in: stream)
        else {
            Issue.record("they are there")
            return
        }
        #expect(seen.presentationTime == .seconds(1) && seen.orientation == .left && seen.samplesLost == 5)
        #expect(seen.damage == .full(size: layout.size), "frames are missing before it")
        #expect(
            SampleBuffer(frameIn: frame.slot, sequence: frame.sequence, skipped: 0, isFirst: false, of: view)?.damage
                == damage)
        #expect(seen.withPixels { $0[plane: 0].row(0)[0] } == 0xab)
        #expect(heard.presentationTime == .seconds(2) && heard.byteCount == 3840)
        for (slot, sequence) in [(1, frame.sequence), (2, frame.sequence + 1), (64, 1), (-1, 1)] {
            let isThere = SampleBuffer(frameIn: slot, sequence: sequence, skipped: 0, isFirst: false, of: view) != nil
            #expect(!isThere, "slot \(slot)")
        }
        for position: UInt64 in [8, 4096, 1 << 40, .max] {
            let isThere = SampleBuffer(recordAt: position, of: view, in: stream) != nil
            #expect(!isThere, "\(position)")
        }
    }
}
