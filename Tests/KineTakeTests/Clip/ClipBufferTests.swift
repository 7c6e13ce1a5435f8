// The clip buffer's thread, fed as the encoders' threads feed it.
import CoreTesting
import Glibc
import KineContainers
import KineMeasure
import KineMedia
import Testing

@testable import KinePlatform
@testable import KineTake

@Suite struct ClipBufferTests {
    private let folder: TemporaryDirectory
    private let events = TakeEvents()
    private static let video = VideoFormat(
        parameterSets: .h264(
            H264ParameterSets(sequence: [0x67, 0x64, 0, 0x28, 0xac], picture: [0x68, 0xee, 0x3c, 0x80])),
        size: PixelSize(width: 640, height: 360))

    init() throws { folder = try TemporaryDirectory() }

    private func buffer(
        memory: Int = 32 << 20, audio: [AudioFormat] = [], directory: String? = nil
    ) throws -> ClipBuffer {
        let buffer = try ClipBuffer(
            limits: ClipLimits(length: .seconds(60), memory: memory), audio: audio, directory: directory ?? folder.path,
            observer: events)
        buffer.begin(Self.video)
        return buffer
    }

    private func frame(_ second: Double, key: Bool = true, bytes: Int = 1000) -> EncodedSample {
        EncodedSample(
            type: .video, presentationTime: .seconds(second), duration: .zero, isKeyframe: key,
            data: [UInt8](repeating: 7, count: bytes))
    }

    /// Asks for a clip; the answer comes later.
    private func ask(
        _ buffer: ClipBuffer, _ name: String, end: Double, isPaused: Bool = false
    ) -> Monitor<Result<ExportedClip, ClipError>?> {
        let answer = Monitor<Result<ExportedClip, ClipError>?>(nil)
        buffer.export(
            ClipBuffer.Export(
                request: ClipRequest(output: folder.file(name), duration: nil), end: .seconds(end),
                isPaused: isPaused, instant: MonotonicClock.now(), reply: { result in answer.signal { $0 = result } }))
        return answer
    }

    private func result(_ answer: Monitor<Result<ExportedClip, ClipError>?>) throws -> Result<ExportedClip, ClipError> {
        try #require(answer.wait(until: WaitLimit.deadline()) { $0 })
    }

    private func clip(_ answer: Monitor<Result<ExportedClip, ClipError>?>) throws -> ExportedClip {
        try result(answer).get()
    }

    private var warnings: [String] {
        events.drain().compactMap { if case .warning(let sentence) = $0 { sentence } else { nil } }
    }

    @Test func `before the first frame there is no clip`() throws {
        let buffer = try buffer()
        guard case .failure(.nothingCaptured) = try result(ask(buffer, "a.mp4", end: 0)) else {
            Issue.record("it was written")
            return
        }
        buffer.finish()
    }

    @Test func `everything that was queued before the request is in the clip`() throws {
        let buffer = try buffer()
        for second in 0..<30 { buffer.append(frame(Double(second))) }
        let clip = try clip(ask(buffer, "a.mp4", end: 30))
        #expect(clip.frames == 30 && clip.start == .zero && clip.duration == .seconds(30))
        #expect(try MP4Recovery.recover(clip.output).duration == .seconds(30))
        buffer.finish()
        #expect(warnings == [])
    }

    @Test func `a clip has the formats of its frames`() throws {
        let buffer = try buffer()
        var other = Self.video
        other.size = PixelSize(width: 320, height: 480)
        for second in 0..<30 {
            var frame = frame(Double(second))
            frame.format = (10..<20).contains(second) ? other : Self.video
            buffer.append(frame)
        }
        for (end, changes) in [(30.0, [10, 20]), (15, [10])] {
            let clip = try clip(ask(buffer, "\(Int(end)).mp4", end: end))
            let file = try DiskFile.openToRead(clip.output)
            let index = try RecordingIndex(reading: file)
            file.close()
            let sizes = (0..<index.frameCount).map(index.size(ofFrame:))
            #expect(sizes.count == Int(end))
            #expect((1..<sizes.count).filter { sizes[$0] != sizes[$0 - 1] } == changes)
        }
        buffer.finish()
    }

    @Test(.tags(.real))
    func `a clip waits for the audio up to its end, in a pause for what the encoder lets go`() throws {
        let buffer = try buffer(audio: [SyntheticScreen.audioFormat])
        buffer.append(frame(0))
        func append(_ units: Range<Int64>) {
            for unit in units {
                buffer.append(
                    EncodedSample(
                        type: .audioApp, presentationTime: MediaTime(ticks: unit * 1024, timescale: 48000),
                        duration: .zero, isKeyframe: true, data: [1, 2, 3]))
            }
        }
        append(-1..<10)
        let answer = ask(buffer, "a.mp4", end: 1)
        append(10..<47)
        _ = try clip(answer)
        let audio = try Tool.output(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "a", "-show_entries", "stream=nb_frames", "-of", "csv=p=0",
                folder.file("a.mp4"),
            ])
        // 46.9 access units are a second, and the priming is one more.
        #expect(Int(audio.filter(\.isNumber)) == 48)
        _ = try clip(ask(buffer, "b.mp4", end: 1.05, isPaused: true))
        buffer.finish()
    }

    @Test func `a second clip is refused while the first waits, and none is written after the end`() throws {
        let buffer = try buffer(audio: [SyntheticScreen.audioFormat])
        buffer.append(frame(0))
        let first = ask(buffer, "a.mp4", end: 1)
        guard case .failure(.exportInProgress) = try result(ask(buffer, "b.mp4", end: 1)) else {
            Issue.record("it was written")
            return
        }
        // The end does not wait for audio that will not come, and finishes the clip.
        buffer.finish()
        #expect(try clip(first).frames == 1)
        guard case .failure(.over) = try result(ask(buffer, "c.mp4", end: 1)) else {
            Issue.record("it was written")
            return
        }
        #expect(try Tool.output("ls", ["-A", folder.path]) == "a.mp4\n")
    }

    @Test func `samples that come faster than the thread takes them begin the buffer anew, with one warning`() throws {
        let buffer = try buffer()
        for round in 0..<3 {
            let start = Double(round) * 10
            buffer.append(frame(start))
            buffer.append(frame(start + 1, key: false, bytes: 17 << 20))
            #expect(buffer.consumeKeyframeRequest())
            buffer.append(frame(start + 2, key: false))
            buffer.append(frame(start + 3))
            let clip = try clip(ask(buffer, "\(round).mp4", end: start + 5))
            #expect(clip.start == .seconds(start + 3) && clip.frames == 1)
        }
        buffer.finish()
        #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains("anew") })
    }

    @Test func `without a place on disk the buffer is shorter, says so once, and gives clips of what it has`() throws {
        // Nobody can make a file there.
        let buffer = try buffer(memory: 1 << 20, directory: "/proc/kinecast")
        for second in 0..<100 { buffer.append(frame(Double(second), bytes: 50_000)) }
        let clip = try clip(ask(buffer, "a.mp4", end: 100))
        #expect((10...21).contains(clip.frames) && clip.duration < .seconds(22))
        for second in 100..<200 { buffer.append(frame(Double(second), bytes: 50_000)) }
        buffer.finish()
        let warnings = warnings
        #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains("/proc/kinecast") }, "\(warnings)")
    }

    @Test func `a file that another process writes is not replaced by a clip`() throws {
        let buffer = try buffer()
        buffer.append(frame(0))
        let path = folder.file("a.mp4")
        let other = try DiskFile.create(path)
        let answer = Monitor<Result<ExportedClip, ClipError>?>(nil)
        buffer.export(
            ClipBuffer.Export(
                request: ClipRequest(output: path, duration: nil, overwrite: true), end: .seconds(1),
                isPaused: false, instant: MonotonicClock.now(), reply: { result in answer.signal { $0 = result } }))
        guard case .failure(.storage(.inUse)) = try result(answer) else {
            Issue.record("it was replaced")
            return
        }
        withExtendedLifetime(other) {}
        buffer.finish()
    }
}
