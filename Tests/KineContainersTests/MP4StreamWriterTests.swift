// What a program reads of a take at the other end of a pipe.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage
import Testing

@testable import KineContainers

@Suite struct MP4StreamWriterTests {
    private let video = SyntheticTake.video
    private let audio = [SyntheticTake.audio(.audioApp), SyntheticTake.audio(.audioMic, rate: 44100)]

    private func writer(_ descriptor: FileDescriptor, timeout: Int64 = ByteStream.timeout) throws -> MP4StreamWriter {
        try MP4StreamWriter(
            stream: ByteStream(descriptor, path: "-", timeout: timeout), video: video, audio: audio, hasInput: true,
            creationTime: 0)
    }

    private func frame(_ milliseconds: Int64) -> EncodedSample {
        EncodedSample(
            type: .video, presentationTime: .milliseconds(milliseconds), duration: .zero,
            isKeyframe: milliseconds == 0, data: [0, 0, 0, 1, 0x65])
    }

    @Test(arguments: 1...6) func `the reader gets every sample in its time, and can recover what it gets`(
        seed: UInt64
    ) throws {
        let take = SyntheticTake(seed: seed, seconds: 20, audio: audio, hasInput: true)
        let directory = try TemporaryDirectory()
        let pipe = try FileDescriptor.pipe()
        let reader = try DedicatedThread(starting: "reader") {
            defer { try? pipe.readEnd.close() }
            _ = try? write(Tool.readAll(pipe.readEnd), to: directory("a.mp4"))
        }
        let finished = try take.write(with: writer(pipe.writeEnd))
        try pipe.writeEnd.close()
        reader.join()

        let bytes = try contents(of: directory("a.mp4"))
        let movie = try take.check(bytes)
        #expect(movie.types.prefix(3) == ["ftyp", "free", "moov"])
        #expect(finished?.frames == take.samples[0].count && finished?.bytes == Int64(bytes.count))
        #expect(finished?.failure == nil)
        let recovered = try MP4Recovery.recover(directory("a.mp4"))
        #expect(recovered.frames == take.samples[0].count && recovered.skippedBytes == 0)
        #expect(recovered.duration == finished?.duration)
        _ = try take.check(contents(of: directory("a.mp4")))
    }

    @Test func `only the newest frame waits for the next one`() throws {
        let pipe = try FileDescriptor.pipe()
        defer { for end in [pipe.readEnd, pipe.writeEnd] { try? end.close() } }
        let writer = try writer(pipe.writeEnd)
        let header = writer.bytesWritten
        writer.append(frame(0))
        try writer.flush(through: .milliseconds(100))
        #expect(writer.bytesWritten == header && !writer.hasFrames)
        writer.append(frame(90))
        try writer.flush(through: .milliseconds(100))
        #expect(writer.hasFrames)
        let finished = writer.finish(at: .milliseconds(500))
        #expect(finished.frames == 2 && finished.duration == .milliseconds(500))
    }

    @Test func `a reader that leaves, or does not read, is an error, and nothing is written after it`() throws {
        signal(SIGPIPE, SIG_IGN)
        for leaves in [true, false] {
            let pipe = try FileDescriptor.pipe()
            defer { try? pipe.writeEnd.close() }
            let writer = try writer(pipe.writeEnd, timeout: 1)
            if leaves { try pipe.readEnd.close() }
            let expected =
                leaves ? StorageError.readerGone(path: "standard output") : .readerStalled(path: "standard output")
            #expect(throws: expected) {
                // More than a pipe holds.
                for time in 0..<100_000 {
                    writer.append(frame(Int64(time) * 20))
                    try writer.flush(through: .milliseconds(Int64(time) * 20))
                }
            }
            let written = writer.bytesWritten
            writer.append(frame(10_000_000))
            #expect(throws: expected) { try writer.flush(through: .seconds(20_000)) }
            let finished = writer.finish(at: .seconds(20_000))
            #expect(finished.failure == expected && finished.bytes == written && writer.bytesWritten == written)
            if !leaves { try pipe.readEnd.close() }
        }
    }
}
