// A recording whose reader has stopped, and the chapters of one.
import Glibc
import KineMeasure
import KineMedia
import SystemPackage
import Testing

@testable import KineContainers
@testable import KineTake

@Suite struct RecordingThreadTests {
    private static let configuration = TakeConfiguration(
        source: .pattern(PixelSize(width: 640, height: 360)), output: TakeConfiguration.standardOutput)

    @Test(arguments: [true, false]) func `a stream ends when 64 MB wait for its reader`(mayWait: Bool) throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = try FileDescriptor.pipe()
        defer { for end in [pipe.readEnd, pipe.writeEnd] { try? end.close() } }
        let events = TakeEvents()
        let stream = ByteStream(pipe.writeEnd, path: "-", timeout: .max / 2)
        let recording = try RecordingThread(
            target: .stream(stream), configuration: Self.configuration, audio: [], clock: TakeClock(),
            observer: events)
        recording.begin(
            VideoFormat(
                parameterSets: .h264(
                    H264ParameterSets(sequence: [0x67, 0x64, 0, 0x28, 0xac], picture: [0x68, 0xee, 0x3c, 0x80])),
                size: PixelSize(width: 640, height: 360)))
        // Beyond 64 MB, frames are not waited for, and nothing is kept of them.
        for number in 0..<100 {
            recording.append(
                EncodedSample(
                    type: .video, presentationTime: .milliseconds(Int64(number) * 100), duration: .zero,
                    isKeyframe: true,
                    data: [UInt8](repeating: 7, count: 1 << 20)), mayWait: mayWait)
        }
        guard case .empty(let failure) = recording.finish(at: .seconds(10)) else {
            Issue.record("more was read than the pipe holds")
            return
        }
        #expect(failure == .readerStalled(path: "standard output"))
        let failures = events.drain().filter { if case .recordingFailed = $0 { true } else { false } }
        #expect(failures.count == 1)
    }

    private func recording(_ target: sending RecordingTarget) throws -> RecordingThread {
        try RecordingThread(
            target: target, configuration: Self.configuration, audio: [], clock: TakeClock(), observer: TakeEvents())
    }

    @Test func `a file gets 254 chapters, whose numbers count those with titles too`() throws {
        let folder = try TemporaryDirectory()
        let recording = try recording(.file(DiskFile.create(folder.file("a.mp4"))))
        #expect(try recording.mark("a", at: .zero).title == "a")
        let second = try recording.mark(nil, at: .seconds(1))
        #expect(second == Chapter(start: .seconds(1), title: "Chapter 2"))
        for number in 3...254 { _ = try recording.mark(nil, at: .seconds(Double(number))) }
        #expect(throws: MarkError.tooMany) { try recording.mark(nil, at: .seconds(300)) }
        guard case .empty(nil) = recording.finish(at: .seconds(300)) else {
            Issue.record("there is a recording without a frame")
            return
        }
    }

    @Test func `a stream gets no chapter`() throws {
        let pipe = try FileDescriptor.pipe()
        defer { for end in [pipe.readEnd, pipe.writeEnd] { try? end.close() } }
        let recording = try recording(.stream(ByteStream(pipe.writeEnd, path: "-")))
        #expect(throws: MarkError.standardOutput) { try recording.mark(nil, at: .zero) }
        _ = recording.finish(at: .zero)
    }
}
