// A recording whose reader has stopped.
import Glibc
import KineMedia
import KinePlatform
import SystemPackage
import Testing

@testable import KineContainers
@testable import KineTake

@Suite struct RecordingThreadTests {
    @Test(arguments: [true, false]) func `a stream ends when 64 MB wait for its reader`(mayWait: Bool) throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = try FileDescriptor.pipe()
        defer { for end in [pipe.readEnd, pipe.writeEnd] { try? end.close() } }
        let events = TakeEvents()
        let stream = ByteStream(pipe.writeEnd, path: "-", timeout: .max / 2)
        let recording = try RecordingThread(
            target: .stream(stream), audio: [], clock: TakeClock(),
            grid: FrameGrid(framesPerSecond: 30, isConstant: false), observer: events)
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
}
