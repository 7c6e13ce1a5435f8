// Whole takes with extensions: a made frame and its beep, with and without a file.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import Testing

@testable import KineTake

@Suite(.serialized, .tags(.margins)) struct TakeFeedTests {
    private static let size = PixelSize(width: 320, height: 240)

    /// A take of the pattern, and a file for it that goes with this object.
    private final class Fixture {
        let events = TakeEvents()
        let take: Take
        let path: String
        private let folder: TemporaryDirectory

        init(
            services: [SampleRequirements], isRecorded: Bool, _ change: (inout TakeConfiguration) -> Void = { _ in }
        ) throws {
            folder = try TemporaryDirectory()
            path = folder.file("take.mp4")
            var configuration = TakeConfiguration(
                source: .pattern(TakeFeedTests.size), output: isRecorded ? path : nil)
            configuration.video.framesPerSecond = 30
            change(&configuration)
            take = try Take(
                configuration: configuration, services: services, sources: .pattern, encoders: .x264, observer: events)
        }

        func reader(_ samples: SampleRequirements) throws -> FeedReader {
            let answer = Monitor<Result<SampleFeed, TakeError>?>(nil)
            take.makeFeed(
                FeedRequest(samples, of: "Test") { result in answer.signal { $0 = result } })
            let deadline = WaitLimit.deadline()
            let feed = try #require(answer.wait(until: deadline) { $0 }).get()
            let reader = try FeedReader(feed)
            take.beginFeeding(feed)
            return reader
        }
    }

    private let all = SampleRequirements.test(.encoded(codecs: [.h264], keyframeInterval: 1), app: .aac)

    @Test(.tags(.slow)) func `an extension gets the samples of the file, byte for byte`() throws {
        let fixture = try Fixture(services: [all], isRecorded: true)
        let reader = try fixture.reader(all)
        reader.expect("two seconds") { $0.samples.contains { $0.type == .audioApp && $0.time >= .seconds(2) } }
        let end = MonotonicClock.now()
        let ending = fixture.take.finish(at: end, movesIndex: false)
        guard case .recorded(.finished(let file)) = ending else {
            Issue.record("\(ending)")
            return
        }
        reader.expect("the end") { ($0.samples.last { $0.type == .audioApp }?.time ?? .zero) > .seconds(2) }
        reader.end()
        let frames = reader.samples.filter { $0.type == .video }
        #expect(frames.first?.isKeyframe == true)
        #expect(frames.count >= file.frames - 3)
        Margin.atLeast(45, Double(frames.count), "pictures", "two seconds at 30 a second")
        let keyframes = frames.filter(\.isKeyframe).map(\.time.seconds)
        Margin.atMost(
            1.1, zip(keyframes, keyframes.dropFirst()).map { $1 - $0 }.max() ?? 0, "s",
            "between keyframes a second apart")
        // In the file they lie in this order, fragment by fragment.
        let bytes = try Tool.contents(of: fixture.path)
        for type in [SampleType.video, .audioApp] {
            var place = 0
            for sample in reader.samples where sample.type == type {
                guard let found = find(sample.bytes, in: bytes, from: place) else {
                    Issue.record("the sample at \(sample.time.seconds) s is not in the file")
                    break
                }
                place = found + (sample.bytes.count > 64 ? sample.bytes.count : 0)
            }
        }
        let audio = reader.samples.filter { $0.type == .audioApp }
        for (before, after) in zip(audio, audio.dropFirst()) {
            #expect(abs((before.time + before.duration - after.time).nanoseconds) <= 1)
        }
        let first = try #require(audio.first)
        #expect(first.time + first.duration >= frames[0].time)
        let format = try #require(reader.feed.stream.audio.first)
        #expect(format.codec == .aac && !format.configuration.isEmpty && format.primingSamples == 1024)
    }

    private func find(_ part: [UInt8], in whole: [UInt8], from start: Int) -> Int? {
        whole.withUnsafeBufferPointer { whole in
            part.withUnsafeBufferPointer { part -> Int? in
                guard let base = whole.baseAddress, let needle = part.baseAddress, start + part.count <= whole.count
                else { return nil }
                return (start...whole.count - part.count).first { memcmp(base + $0, needle, part.count) == 0 }
            }
        }
    }

    @Test(.tags(.slow)) func `a take without a file has its frames and its length all the same`() throws {
        let services = [all, .test(nil, app: .pcm), .raw(framesPerSecond: 10)]
        let fixture = try Fixture(services: services, isRecorded: false)
        let readers = try services.map { try fixture.reader($0) }
        readers[1].expect("two seconds of sound") { ($0.samples.last?.time ?? .zero) > .seconds(2) }
        let end = MonotonicClock.now()
        let length = fixture.take.clock.mediaTime(at: end)
        var samplesEnded = false
        let ending = fixture.take.finish(at: end, movesIndex: true) { samplesEnded = true }
        guard case .unrecorded(let duration, let frames) = ending else {
            Issue.record("\(ending)")
            return
        }
        #expect(samplesEnded)
        #expect(duration == length)
        Margin.atLeast(45, Double(frames), "pictures", "two seconds at 30 a second")
        for reader in readers { reader.end() }
        // Plain samples lie one behind the other, from time zero or from when the feed began.
        let plain = readers[1].samples
        #expect(plain.allSatisfy { $0.isPCM && $0.type == .audioApp && $0.bytes.count == 1024 * 2 * 4 })
        for (before, after) in zip(plain, plain.dropFirst()) {
            #expect(abs((before.time + before.duration - after.time).nanoseconds) <= 1)
        }
        // The beep is in them.
        #expect(plain.contains { $0.bytes.contains { $0 != 0 } })
        let raw = readers[2].frames.map(\.time.seconds)
        #expect(Double(raw.count) < length.seconds * 10 + 3)
        Margin.atLeast(10, Double(raw.count), "pictures", "two seconds at 10 a second")
    }

    @Test func `a pause takes the same time out of frames and audio`() throws {
        let services = [all, .raw()]
        let fixture = try Fixture(services: services, isRecorded: false)
        let readers = try services.map { try fixture.reader($0) }
        readers[0].expect("sound") { $0.samples.contains { $0.type == .audioApp && $0.time > .seconds(0.5) } }
        let pause = MonotonicClock.now()
        fixture.take.pause(at: pause)
        let before = fixture.take.clock.mediaTime(at: pause)
        let positions = readers.map { $0.feed.sender.position }
        try wait("the end of the pause") { MonotonicClock.now() > pause + 700_000_000 }
        #expect(readers.map { $0.feed.sender.position } == positions)
        let resume = MonotonicClock.now()
        fixture.take.resume(at: resume)
        for type in [SampleType.video, .audioApp] {
            readers[0].expect("samples after the pause") { state in
                state.samples.contains { $0.type == type && $0.time > before + .seconds(0.3) }
            }
        }
        readers[1].expect("pictures after the pause") { $0.frames.contains { $0.time > before + .seconds(0.3) } }
        _ = fixture.take.finish(at: MonotonicClock.now(), movesIndex: false)
        for reader in readers { reader.end() }
        for times in [
            readers[0].samples.filter { $0.type == .video }.map(\.time), readers[1].frames.map(\.time),
            readers[0].samples.filter { $0.type == .audioApp }.map(\.time),
        ] {
            for (before, after) in zip(times, times.dropFirst()) { #expect(after > before) }
            let gaps = zip(times, times.dropFirst()).map { ($1 - $0).seconds }
            Margin.atMost(0.3, gaps.max() ?? 0, "s", "between samples, over a pause")
        }
        // Nothing of the encoder's was lost on the way.
        let audio = readers[0].samples.filter { $0.type == .audioApp }
        for (before, after) in zip(audio, audio.dropFirst()) {
            #expect(abs((before.time + before.duration - after.time).nanoseconds) <= 1)
        }
    }

    @Test(.tags(.slow)) func `audio reaches an extension soon after it was heard`() throws {
        let services = [SampleRequirements.test(nil, app: .aac), .test(nil, app: .pcm)]
        let fixture = try Fixture(services: services, isRecorded: false)
        let readers = try services.map { try fixture.reader($0) }
        for reader in readers {
            reader.expect("two seconds of sound") { ($0.samples.last?.time ?? .zero) > .seconds(2) }
        }
        let origin = try #require(fixture.take.clock.snapshot.origin)
        _ = fixture.take.finish(at: MonotonicClock.now(), movesIndex: false)
        for reader in readers {
            reader.end()
            // From the last sample of each to its arrival.
            let delays = reader.samples.filter { $0.time > .seconds(0.5) && $0.time < .seconds(2) }
                .map { Double($0.instant - origin) / 1e9 - ($0.time + $0.duration).seconds }.sorted()
            let median = try #require(delays.isEmpty ? nil : delays[delays.count / 2])
            // The AAC encoder alone keeps two of its frames, 43 ms.
            Margin.atMost(0.1, median, "s", "from a sound to the extension")
        }
    }

    @Test func `a service that wants what nobody makes is refused with a sentence`() throws {
        let fixture = try Fixture(services: [], isRecorded: false)
        let samples = SampleRequirements.test(.encoded(codecs: [.av1], keyframeInterval: nil))
        #expect {
            _ = try fixture.reader(samples)
        } throws: {
            ($0 as? TakeError)?.message.contains("wants video encoded as av1") ?? false
        }
        _ = fixture.take.finish(at: MonotonicClock.now(), movesIndex: false)
        #expect { _ = try fixture.reader(all) } throws: { ($0 as? TakeError)?.message.contains("over") ?? false }
    }

    @Test func `what is shown is told`() throws {
        let fixture = try Fixture(services: [all], isRecorded: false)
        let reader = try fixture.reader(all)
        #expect(fixture.take.factory.annotation == ["source": "pattern", "size": "320x240"])
        _ = fixture.take.finish(at: MonotonicClock.now(), movesIndex: false)
        reader.end()
    }
}
