// A take that begins in a process that may have no more threads fails in one sentence, and leaves nothing behind.
import Glibc
import KineImaging
import KineMeasure
import KineMedia
import KineX264
import Testing

@testable import KinePlatform
@testable import KineTake

@Suite struct TakeThreadTests {
    private static func configuration(output: String?, audio: Bool = false) -> TakeConfiguration {
        var configuration = TakeConfiguration(source: .pattern(PixelSize(width: 64, height: 64)), output: output)
        if !audio { configuration.audio.app = .none }
        return configuration
    }

    private static func isRefusal(_ message: String, of thread: String) -> Bool {
        message.hasPrefix("The thread “\(thread)” cannot be started (Resource temporarily unavailable); ")
    }

    @Test(arguments: [(false, "file"), (true, "audio")])
    func `without a thread for the file or the audio the take does not begin, and there is no file`(
        hasAudio: Bool, thread: String
    ) throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("take.mp4")
        let failure = Monitor<TakeError?>(nil)
        WithoutThreads.run {
            do throws(TakeError) {
                let configuration = Self.configuration(output: path, audio: hasAudio)
                _ = try Take(
                    configuration: configuration, sources: .pattern, encoders: .x264, observer: TakeEvents())
            } catch {
                failure.signal { $0 = error }
            }
        }
        let told = try #require(failure.withLock { $0 })
        #expect(Self.isRefusal(told.message, of: thread), "\(told.message)")
        // The folder is empty.
        #expect(rmdir(folder.path) == 0)
    }

    @Test func `without a thread for the frames the take is told so as of a source that cannot be opened`() {
        let events = TakeEvents()
        WithoutThreads.run {
            do throws(TakeError) {
                let take = try Take(
                    configuration: Self.configuration(output: nil), sources: .pattern, encoders: .x264,
                    observer: events)
                guard case .unrecorded(_, 0) = take.finish(at: MonotonicClock.now(), movesIndex: false) else {
                    Issue.record("it drew pictures")
                    return
                }
            } catch {
                Issue.record("\(error)")
            }
        }
        let failures = events.drain().compactMap { message in
            if case .failed(let error) = message { error.message } else { nil }
        }
        #expect(failures.count == 1 && failures.allSatisfy { Self.isRefusal($0, of: "capture") }, "\(failures)")
    }

    @Test func `without a thread for the encoder the take is told so, and every frame is given back`() throws {
        let size = PixelSize(width: 64, height: 64)
        let frames = FrameCollector(Self.configuration(output: nil))
        let released = Monitor(0)
        WithoutThreads.run {
            let ring = FrameRing(size: size)
            let canvas = FrameCanvas(size: size, codedSize: size, references: ring.references) { _ in
                released.signal { $0 += 1 }
            }
            let encoding = VideoEncodingThread(
                VideoEncoderKind(X264Encoder.self),
                plan: EncodingPlan(Self.configuration(output: nil), services: [], size: size, codecs: [.h264]),
                keyframes: KeyframePolicy(interval: .seconds(10), frames: nil), canvas: canvas, sink: frames)
            guard ring.begin(), let frame = ring.commit(evenIfUnchanged: true) else {
                Issue.record("no frame")
                return
            }
            encoding.encode(frame, at: .zero, repeats: [])
            encoding.finish()
        }
        #expect(released.withLock { $0 } == 1)
        let messages = frames.seen.withLock { $0.failures }
        #expect(frames.samples.isEmpty)
        #expect(messages.count == 1 && messages.allSatisfy { Self.isRefusal($0, of: "encode") }, "\(messages)")
    }
}
