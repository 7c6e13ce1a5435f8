// Both ends of a stream over real memory, in one process.
import CLinux
import CSharedAtomics
import Glibc
import KineMedia
import KinePlatform
import RelayTesting
import Synchronization
import SystemPackage
import Testing

@testable import KineRings

@Suite struct StreamTests {
    struct Ends {
        let sender: StreamSender
        let receiver: StreamReceiver
        let memory: FrameMemory?

        init(frames: FrameSlotLayout? = nil, video: Bool = true, ringBytes: Int = 1 << 16) throws {
            sender = try StreamSender(video: video, frames: frames, sampleRingBytes: ringBytes)
            memory = try frames.map { try FrameMemory(layout: $0) }
            receiver = try StreamReceiver(
                Self.description(frames: frames, ringBytes: sender.sampleRingBytes),
                descriptors: try (sender.descriptors + (memory.map { [$0.descriptor] } ?? [])).map {
                    try $0.duplicate()
                })
        }

        static func description(frames: FrameSlotLayout?, ringBytes: Int) -> StreamDescription {
            StreamDescription(
                framesPerSecond: 60, video: nil, frames: frames, audio: [], sampleRingBytes: ringBytes)
        }

        /// Writes into the state page, as a hostile receiver does.
        func scribble(_ word: UInt64, at offset: Int) throws {
            let page = try SharedMemory(
                adopting: try sender.descriptors[1].duplicate(), byteCount: StatePage.byteCount, writable: true)
            withExtendedLifetime(page) { page.base.storeBytes(of: word, toByteOffset: offset, as: UInt64.self) }
        }

        func offer(_ slot: Int, at nanoseconds: Int64, tile column: Int = 0) throws -> FrameSlots {
            var damage = DamageRegion(size: StampedTake.layout.size)
            damage.insert(column: column, row: 0)
            return try sender.offer(
                slot: slot, at: MediaTime(nanoseconds: nanoseconds), duration: .zero, damage: damage,
                orientation: .right)
        }
    }

    private func sample(_ count: Int, isKeyframe: Bool = true, at nanoseconds: Int64 = 0) -> EncodedSample {
        EncodedSample(
            type: .video, presentationTime: MediaTime(nanoseconds: nanoseconds), duration: .milliseconds(1),
            isKeyframe: isKeyframe, data: [UInt8](repeating: 7, count: count))
    }

    @Test func `a sample arrives as it was sent, to the nanosecond`() throws {
        let ends = try Ends()
        let time = MediaTime(nanoseconds: -1_234_567_891_234_567)
        ends.sender.send(
            EncodedSample(
                type: .audioMic, presentationTime: time, duration: MediaTime(nanoseconds: 21_333_333), isKeyframe: true,
                data: [1, 2, 3]))
        let record = try #require(try ends.receiver.nextRecord())
        #expect(record.type == .audioMic && record.isKeyframe && !record.isPCM && record.missing == 0)
        #expect(record.presentationTime == time && record.duration.nanoseconds == 21_333_333)
        #expect(Array(record.bytes) == [1, 2, 3])
        ends.receiver.advance(past: record)
        #expect(try ends.receiver.nextRecord() == nil)
        let counts = ends.sender.counts
        #expect(counts.bytesCopied == 3 && counts.bytes == 3 && counts.audioSamples == 1 && counts.frames == 0)
        #expect(ends.sender.position == StreamPosition(samples: 40, frames: 0))
    }

    @Test func `audio as floats arrives aligned for floats`() throws {
        let ends = try Ends()
        ends.sender.send(sample(3))
        [Float](arrayLiteral: 0.5, -1, 1).withUnsafeBufferPointer {
            ends.sender.sendAudio(type: .audioApp, interleaved: $0, at: .zero, duration: .zero)
        }
        ends.receiver.advance(past: try #require(try ends.receiver.nextRecord()))
        let record = try #require(try ends.receiver.nextRecord())
        #expect(record.isPCM)
        #expect(Array(record.bytes.bindMemory(to: Float.self)) == [0.5, -1, 1])
    }

    @Test func `samples of a type of a later version are skipped`() throws {
        let layout = SamplesLayout(frames: nil, ringBytes: SharedMemory.pageSize)
        let samples = try SharedMemory(name: "samples", byteCount: layout.byteCount, access: .writable)
        let page = try SharedMemory(name: "state", byteCount: StatePage.byteCount, access: .writable)
        let wake = try FileDescriptor.pipe()
        defer { try? wake.writeEnd.close() }
        let receiver = try StreamReceiver(
            Ends.description(frames: nil, ringBytes: layout.ringBytes),
            descriptors: [try samples.descriptor.duplicate(), try page.descriptor.duplicate(), wake.readEnd])
        var position: UInt64 = 0
        for type in [nil, nil, .audioMic, nil] as [SampleType?] {
            let header = RecordHeader(type: type, presentationTime: .zero, duration: .zero, payloadBytes: 3)
            header.write(to: samples.base + layout.ringOffset + Int(position), position: position)
            position += UInt64(header.recordBytes)
        }
        samples.base.storeBytes(of: position, toByteOffset: SamplesLayout.writePosition, as: UInt64.self)
        let record = try #require(try receiver.nextRecord())
        #expect(record.type == .audioMic && receiver.readPosition == 80)
        receiver.advance(past: record)
        #expect(try receiver.nextRecord() == nil)
        #expect(receiver.readPosition == position)
    }

    @Test func `a new format comes before its keyframe, is no sample, and is dropped with it`() throws {
        let ends = try Ends()
        func video(_ width: Int) -> StreamDescription.EncodedVideo {
            StreamDescription.EncodedVideo(
                VideoFormat(
                    parameterSets: .h264(H264ParameterSets(sequence: [0x67, 1], picture: [0x68, 2])),
                    size: PixelSize(width: width, height: 16)))
        }
        let changes = [nil, video(32), nil, video(64)]
        for change in changes {
            let isSent = ends.sender.send(sample(3), after: change)
            #expect(isSent)
        }
        var last: StreamDescription.EncodedVideo?
        for change in changes {
            let record = try #require(try ends.receiver.nextRecord())
            #expect(Array(record.bytes) == [7, 7, 7])
            last = change ?? last
            #expect(ends.receiver.changedVideo == last)
            ends.receiver.advance(past: record)
        }
        #expect(try ends.receiver.nextRecord() == nil)
        let counts = ends.sender.counts
        #expect(counts.frames == 4 && counts.audioSamples == 0 && counts.bytes == 12 && counts.queuedBytes == 0)
        while ends.sender.send(sample(1000)) {}
        let isSent = ends.sender.send(sample(1000), after: video(128))
        #expect(!isSent)
        while let record = try ends.receiver.nextRecord() { ends.receiver.advance(past: record) }
        #expect(ends.receiver.changedVideo == video(64))
    }

    @Test func `records run over the end of the ring in one piece`() throws {
        let ends = try Ends()
        for index in 0..<1000 {
            let data = (0..<(1 + index * 37 % 5000)).map { UInt8(truncatingIfNeeded: $0 + index) }
            ends.sender.send(
                EncodedSample(
                    type: .video, presentationTime: .zero, duration: .zero, isKeyframe: true, data: data))
            let record = try #require(try ends.receiver.nextRecord())
            #expect(record.bytes.elementsEqual(data))
            ends.receiver.advance(past: record)
        }
    }

    @Test
    func `a receiver that does not read loses frames up to a keyframe, which is asked for when there is room`()
        throws
    {
        let ends = try Ends()
        while ends.sender.counts.framesSkipped == 0 { ends.sender.send(sample(1000)) }
        #expect(!ends.sender.consumeKeyframeRequest())
        while let record = try ends.receiver.nextRecord() { ends.receiver.advance(past: record) }
        ends.sender.send(sample(1000, isKeyframe: false))
        #expect(try ends.receiver.nextRecord() == nil)
        #expect(ends.sender.consumeKeyframeRequest())
        ends.sender.send(sample(1000))
        #expect(try ends.receiver.nextRecord()?.missing == 2)
        #expect(ends.sender.counts.framesSkipped == 2)
    }

    @Test func `what waits for a receiver that has ended is lost`() throws {
        let ends = try Ends()
        for _ in 0..<3 { ends.sender.send(sample(1000)) }
        [Float](repeating: 0, count: 96).withUnsafeBufferPointer {
            ends.sender.sendAudio(type: .audioMic, interleaved: $0, at: .zero, duration: .seconds(0.5))
        }
        ends.receiver.advance(past: try #require(try ends.receiver.nextRecord()))
        ends.sender.receiverEnded()
        ends.sender.receiverEnded()
        ends.sender.send(sample(1000))
        let counts = ends.sender.counts
        #expect(counts.frames == 1 && counts.framesSkipped == 2 && counts.audioLost == 0.5 && counts.queuedBytes == 0)
        let mailbox = try Ends(frames: StampedTake.layout)
        for slot in 0..<2 { _ = try mailbox.offer(slot, at: 10, tile: 1) }
        mailbox.sender.receiverEnded()
        #expect(mailbox.sender.counts.framesSkipped == 2 && mailbox.sender.counts.frames == 0)
    }

    @Test func `the newest frame wins, with the damage of those it replaced`() throws {
        let ends = try Ends(frames: StampedTake.layout)
        #expect(try ends.offer(0, at: 10, tile: 1) == [])
        #expect(try ends.offer(1, at: 20, tile: 2) == [0])
        #expect(try ends.offer(0, at: 30, tile: 3) == [1])
        #expect(try ends.receiver.peekFrame()?.presentationTime == MediaTime(nanoseconds: 30))
        let frame = try #require(try ends.receiver.nextFrame())
        #expect(frame.sequence == 3 && frame.skipped == 2 && frame.orientation == .right)
        #expect(frame.presentationTime == MediaTime(nanoseconds: 30))
        #expect(frame.damageWords[0] == 0b1110)
        #expect(try ends.receiver.peekFrame() == nil)
        #expect(try ends.sender.reclaim() == [])
        // The next frame only has its own damage.
        #expect(try ends.offer(1, at: 40, tile: 5) == [])
        ends.receiver.release(frame)
        #expect(try ends.sender.reclaim() == [0])
        #expect(try ends.receiver.nextFrame()?.damageWords[0] == 0b100000)
        #expect(ends.sender.counts.framesSkipped == 2)
        #expect(ends.sender.counts.bytesCopied == 0)
    }

    @Test func `a receiver that holds a sample is stalled since its last move`() throws {
        let ends = try Ends(frames: StampedTake.layout)
        #expect(ends.sender.heldSince(now: MonotonicClock.now()) == nil)
        _ = try ends.offer(0, at: 0)
        let frame = try #require(try ends.receiver.nextFrame())
        let taken = MonotonicClock.now()
        let since = try #require(ends.sender.heldSince(now: taken))
        // A new frame does not mean that the receiver has moved.
        _ = try ends.offer(1, at: 1)
        _ = try ends.offer(2, at: 2)
        #expect(ends.sender.heldSince(now: taken + 5_000_000_000) == since)
        ends.receiver.release(frame)
        #expect(ends.sender.heldSince(now: taken + 6_000_000_000) == taken + 6_000_000_000)
        ends.receiver.release(try #require(try ends.receiver.nextFrame()))
        #expect(ends.sender.heldSince(now: taken) == nil)
        ends.sender.send(sample(1))
        let waiting = try #require(ends.sender.heldSince(now: taken))
        ends.sender.send(sample(1))
        #expect(ends.sender.heldSince(now: taken + 9_000_000_000) == waiting)
    }

    @Test(
        arguments: [
            (StatePage.readPosition, 8), (StatePage.readPosition, .max), (StatePage.mailbox, 0x0100),
            (StatePage.mailbox, .max),
            (StatePage.released, 1), (StatePage.released, .max),
        ] as [(Int, UInt64)])
    func `an impossible word in the state page is found`(offset: Int, word: UInt64) throws {
        let ends = try Ends(frames: StampedTake.layout)
        try ends.scribble(word, at: offset)
        #expect(throws: StreamSender.Error.self) { try ends.sender.check() }
        ends.sender.send(sample(1))
        #expect(ends.sender.position == StreamPosition())
        #expect(throws: StreamSender.Error.self) { try ends.offer(0, at: 0) }
    }

    @Test func `a read position that goes back is found`() throws {
        let ends = try Ends()
        ends.sender.send(sample(8))
        ends.receiver.advance(past: try #require(try ends.receiver.nextRecord()))
        try ends.sender.check()
        try ends.scribble(0, at: StatePage.readPosition)
        #expect(throws: StreamSender.Error.self) { try ends.sender.check() }
    }

    @Test func `a receiver can write neither the samples nor the frames, nor change a size`() throws {
        let ends = try Ends(frames: StampedTake.layout)
        let memory = try #require(ends.memory)
        for descriptor in [ends.sender.descriptors[0], memory.descriptor] {
            let copy = try descriptor.duplicate()
            #expect(throws: SharedMemory.Error.self) {
                try SharedMemory(adopting: copy, byteCount: 4096, writable: true)
            }
            #expect(throws: Errno.self) { try descriptor.writeAll(toAbsoluteOffset: 0, [1]) }
            #expect(ftruncate(descriptor.rawValue, 0) != 0)
            // FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
            #expect(fallocate(descriptor.rawValue, 3, 0, 4096) != 0)
            let mapped = mmap(nil, 4096, PROT_READ, MAP_SHARED, descriptor.rawValue, 0)
            #expect(mapped != MAP_FAILED)
            #expect(mprotect(mapped!, 4096, PROT_READ | PROT_WRITE) != 0)
            munmap(mapped, 4096)
        }
        #expect(ftruncate(ends.sender.descriptors[1].rawValue, 0) != 0)
    }

    @Test func `a receiver cannot make its sender wait`() throws {
        let ends = try Ends()
        // The receiver gets a writing end through its reading end, makes both block, and fills the pipe.
        let reader = ends.receiver.wakeDescriptor.rawValue
        let flags = fcntl(reader, F_GETFL)
        #expect(fcntl(reader, F_SETFL, flags & ~O_NONBLOCK) == 0)
        let writer = open("/proc/self/fd/\(reader)", O_WRONLY | O_NONBLOCK)
        try #require(writer >= 0)
        let bytes = [UInt8](repeating: 1, count: 4096)
        while write(writer, bytes, bytes.count) > 0 {}
        while write(writer, bytes, 1) > 0 {}
        for _ in 0..<100 { ends.sender.send(sample(1)) }
        close(writer)
    }

    @Test func `a description of an impossible layout is refused`() throws {
        let ends = try Ends()
        let bytes = ends.sender.sampleRingBytes
        func receive(_ stream: StreamDescription) throws {
            _ = try StreamReceiver(stream, descriptors: try ends.sender.descriptors.map { try $0.duplicate() })
        }
        #expect(throws: StreamReceiver.Error.invalidLayout) {
            try receive(Ends.description(frames: nil, ringBytes: 100))
        }
        #expect(throws: StreamReceiver.Error.self) {
            try receive(Ends.description(frames: nil, ringBytes: bytes * 2))
        }
        #expect(throws: StreamReceiver.Error.descriptors(expected: 4, received: 3)) {
            try receive(Ends.description(frames: StampedTake.layout, ringBytes: bytes))
        }
        var layout = StampedTake.layout
        layout.planeOffsets[2] = layout.slotBytes
        #expect(!layout.isValid)
    }

    @Test(arguments: [1, 3, 5])
    func `across threads every frame is whole and every sample as it was sent`(stutter: Int) throws {
        let ends = try Ends(frames: StampedTake.layout, ringBytes: 1 << 17)
        let isOver = Atomic(false)
        let outcome = Monitor<Result<StampChecker, any Error>?>(nil)
        let receiver = ends.receiver
        let reader = DedicatedThread(name: "reader") {
            var checker = StampChecker()
            var turn = 0
            let result = Result {
                while true {
                    let last = isOver.load(ordering: .acquiring)
                    let found = try checker.readAvailable(receiver) {
                        turn += 1
                        if turn % stutter == 0 { sched_yield() }
                    }
                    if last, !found { return checker }
                }
            }
            outcome.signal { $0 = result }
        }
        let frames = StampedFrames(memory: try #require(ends.memory), sender: ends.sender)
        var samples = StampedSamples()
        for _ in 0..<1000 {
            try frames.next()
            samples.next(to: ends.sender, withFrames: true)
        }
        isOver.store(true, ordering: .releasing)
        reader.join()
        let checker = try #require(try outcome.withLock { $0 }?.get())
        #expect(checker.frames > 0 && checker.samples > 0)
    }
}
