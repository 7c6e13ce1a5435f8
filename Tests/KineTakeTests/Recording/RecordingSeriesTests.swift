// A split recording: each frame and each access unit of audio is in one of its files, and each file plays alone.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import Testing

@testable import KineContainers
@testable import KineTake

@Suite struct RecordingSeriesTests {
    private static let video = VideoFormat(
        parameterSets: .h264(
            H264ParameterSets(sequence: [0x67, 0x64, 0, 0x28, 0xac], picture: [0x68, 0xee, 0x3c, 0x80])),
        size: PixelSize(width: 640, height: 360))

    private let folder: TemporaryDirectory
    private let configuration: TakeConfiguration

    init() throws {
        folder = try TemporaryDirectory()
        var configuration = TakeConfiguration(source: .pattern(Self.video.size), output: folder.file("a.mp4"))
        configuration.split = .duration(.seconds(5))
        self.configuration = configuration
    }

    /// Its data begin with its number in its track.
    private static func sample(
        _ type: SampleType, _ number: Int, at time: MediaTime, isKeyframe: Bool = true
    ) -> EncodedSample {
        EncodedSample(
            type: type, presentationTime: time, duration: .zero, isKeyframe: isKeyframe,
            data: withUnsafeBytes(of: Int64(number)) { Array($0) } + [UInt8](repeating: 7, count: number % 40))
    }

    /// Sixteen seconds of a screen that changes thirty times a second, with a keyframe each second.
    ///
    /// - Parameter audioDelay: how much later than a frame of its start an access unit comes.
    private static func samples(audioDelay: MediaTime) -> [EncodedSample] {
        let frames = (0..<480).map { number in
            let time = MediaTime(ticks: Int64(number), timescale: 30)
            return (arrival: time, sample: sample(.video, number, at: time, isKeyframe: number % 30 == 0))
        }
        let units = (0..<751).map { number in
            let time = MediaTime(ticks: Int64(number - 1) * 1024, timescale: 48000)
            return (arrival: time + audioDelay, sample: sample(.audioApp, number, at: time))
        }
        return (frames + units).sorted { $0.arrival < $1.arrival }.map(\.sample)
    }

    private func write(
        _ samples: [EncodedSample], marks: [Chapter] = [], _ configuration: TakeConfiguration,
        _ target: RecordingTarget? = nil, leastContinued: Int64 = 1 << 30, observer: TakeEvents = TakeEvents(),
        flushed body: (MediaTime) -> Void = { _ in }
    ) throws -> (file: FinishedFile, failure: StorageError?) {
        let series = try RecordingSeries(
            target: try target ?? RecordingTarget(configuration), configuration: configuration, video: Self.video,
            audio: [SyntheticScreen.audioFormat], observer: observer, leastContinued: leastContinued)
        var failure: StorageError?
        var flushed = MediaTime.zero
        var marks = marks[...]
        do throws(StorageError) {
            for sample in samples {
                while let mark = marks.first, mark.start <= sample.presentationTime { series.mark(marks.removeFirst()) }
                try series.append(sample)
                guard sample.type == .video, sample.presentationTime >= flushed + .milliseconds(500) else { continue }
                flushed = sample.presentationTime
                try series.flush(through: flushed)
                _ = series.consumeDue(queuedBytes: 0, at: flushed)
                body(flushed)
            }
            try series.flush(through: .seconds(16))
        } catch {
            failure = error
        }
        guard case .finished(let file) = series.finish(failure: failure) else {
            throw WaitedInVain(description: "the recording is not finished")
        }
        return (file, failure)
    }

    private struct Part {
        var video: IndexedTrack
        var audio: IndexedTrack
        var frames: [Int]
        var units: [Int]
        var chapters: [Chapter]
    }

    private func read(_ path: String) throws -> Part {
        let file = try DiskFile.openToRead(path)
        defer { file.close() }
        let index = try RecordingIndex(reading: file)
        try #require(index.tracks.count == 2)
        func numbers(_ track: IndexedTrack) throws -> [Int] {
            try track.offsets.map { offset in
                let bytes = try file.read(at: offset, count: 8)
                return bytes.withUnsafeBytes { Int($0.loadUnaligned(as: Int64.self)) }
            }
        }
        let (video, audio) = (index.tracks[0], index.tracks[1])
        return Part(
            video: video, audio: audio, frames: try numbers(video), units: try numbers(audio), chapters: index.chapters)
    }

    @Test func `where the file system takes no larger file, a recording goes on in another one, and nothing is lost`()
        throws
    {
        var configuration = configuration
        configuration.split = nil
        for leastContinued: Int64 in [0, 1 << 30] {
            let path = try #require(configuration.file(part: 1))
            let file = try DiskFile.create(path, ifTaken: .replace)
            file.certainLimit = 100_000
            let (whole, failure) = try write(
                Self.samples(audioDelay: .milliseconds(22)), configuration, .file(file), leastContinued: leastContinued)
            guard leastContinued == 0 else {
                #expect(failure == .tooLarge(path: path) && whole.parts == [], "a person has bounded it")
                continue
            }
            #expect(failure == nil && whole.failure == nil && whole.parts == [path, folder.file("a-002.mp4")])
            #expect(whole.frames == 480 && whole.duration == .seconds(16))
            let parts = try whole.parts.map(read)
            #expect(parts.flatMap(\.frames) == Array(0..<480) && parts.flatMap(\.units) == Array(0..<751))
            #expect(try DiskFile.openToRead(path).size() <= 100_000)
            unlink(whole.parts[1])
        }
    }

    @Test
    func `where a file system refuses without having said its limit, frames up to the next keyframe are left out`()
        throws
    {
        var configuration = configuration
        configuration.split = nil
        let file = try DiskFile.create(try #require(configuration.file(part: 1)), ifTaken: .replace)
        let observer = TakeEvents()
        let (whole, failure) = try write(
            Self.samples(audioDelay: .milliseconds(22)), configuration, .file(file), leastContinued: -1 << 30,
            observer: observer
        ) { time in
            if time >= .milliseconds(4500) { file.certainLimit = 1 }
        }
        #expect(failure == nil && whole.failure == nil)
        let parts = try whole.parts.map(read)
        // The refused fragment began at frame 136, and the next keyframe is frame 180.
        #expect(parts.flatMap(\.frames) == Array(0..<136) + Array(180..<480))
        #expect(
            observer.drain().contains {
                if case .warning(let words) = $0 { words.contains("cannot grow") } else { false }
            })
    }

    @Test(arguments: [500, 22, -1500] as [Int64])
    func `each frame and each access unit is in one file, however late audio comes`(delay: Int64) throws {
        let (file, failure) = try write(Self.samples(audioDelay: .milliseconds(delay)), configuration)
        #expect(failure == nil && file.failure == nil)
        #expect(file.parts == (1...4).map { folder.file("a-00\($0).mp4") })
        #expect(file.path == file.parts.last)
        #expect(file.frames == 480 && file.duration == .seconds(16))
        let parts = try file.parts.map(read)
        #expect(parts.flatMap(\.frames) == Array(0..<480))
        // Audio that comes before its frames may be in two files, and is heard in the second.
        #expect(delay < 0 ? Set(parts.flatMap(\.units)) == Set(0..<751) : parts.flatMap(\.units) == Array(0..<751))
        for (number, part) in parts.enumerated() {
            let seconds: UInt64 = number < 3 ? 5 : 1
            #expect(part.video.isSync.first == true && part.video.starts.first == 0)
            #expect(part.video.shownTicks == seconds * 90000)
            let missing = Int(seconds * 90000) - Int(part.audio.shownTicks)
            #expect((0..<1024 * 90000 / 48000).contains(missing), "less than an access unit at the end")
            let first = try #require(part.units.first)
            #expect(part.units == Array(first..<first + part.units.count))
            // In the track of the whole take, sound begins after 1024 samples.
            let heard = first * 1024 + Int(part.audio.description.mediaStart) - 1024
            #expect(heard == number * 5 * 48000)
        }
    }

    @Test func `a file has the formats of its frames, whether they change within it or with it`() throws {
        var other = Self.video
        other.size = PixelSize(width: 640, height: 480)
        let samples = Self.samples(audioDelay: .milliseconds(22)).map { sample in
            var sample = sample
            if sample.type == .video, sample.isKeyframe {
                let isFirst = sample.presentationTime < .seconds(7) || sample.presentationTime >= .seconds(15)
                sample.format = isFirst ? Self.video : other
            }
            return sample
        }
        let (file, failure) = try write(samples, configuration)
        #expect(failure == nil && file.failure == nil)
        let parts = try file.parts.map(read)
        #expect(parts.flatMap(\.frames) == Array(0..<480) && parts.flatMap(\.units) == Array(0..<751))
        #expect(parts.map { $0.video.entryRuns.map(\.first) } == [[0], [0, 60], [0], [0]])
        let sizes = parts.map { part in
            part.video.description.sampleEntries.compactMap { SampleEntry.size(of: $0) }
        }
        #expect(sizes == [[Self.video.size], [Self.video.size, other.size], [other.size], [Self.video.size]])
    }

    @Test func `without the audio that was announced, the files have every frame`() throws {
        let frames = Self.samples(audioDelay: .zero).filter { $0.type == .video }
        let (file, failure) = try write(frames, configuration)
        #expect(failure == nil && file.parts.count == 4)
        #expect(file.frames == 480 && file.duration == .seconds(16) && file.audioAccessUnits == 0)
        for path in file.parts { #expect(try MP4Recovery.recover(path).wasAlreadyFinished) }
    }

    @Test func `a chapter goes on in the next file, and one marked just before a file's end is that one`() throws {
        let marks = ([1000, 4990, 10_000, 12_000] as [Int64]).map {
            Chapter(start: .milliseconds($0), title: "\($0)")
        }
        let (file, _) = try write(Self.samples(audioDelay: .milliseconds(500)), marks: marks, configuration)
        let chapters = try file.parts.map { path in
            try read(path).chapters.map { "\($0.start.nanoseconds / 1_000_000) \($0.title)" }
        }
        #expect(
            chapters == [
                ["0 Start", "1000 1000", "4990 4990"], ["0 4990"], ["0 10000", "2000 12000"], ["0 12000"],
            ])
    }

    @Test func `if the next name is taken, the recording ends with all that came before`() throws {
        try folder.write("other".utf8, to: "a-002.mp4")
        let samples = Self.samples(audioDelay: .milliseconds(500))
        let (file, failure) = try write(samples, configuration)
        #expect(failure == .alreadyExists(path: folder.file("a-002.mp4")))
        #expect(file.failure == failure && file.parts == [folder.file("a-001.mp4")])
        #expect(file.frames == 150 && file.duration == .seconds(5))
        #expect(try Tool.contents(of: folder.file("a-002.mp4")) == Array("other".utf8))
    }

    @Test func `with permission to overwrite, a taken name is used`() throws {
        try folder.write("other".utf8, to: "a-002.mp4")
        var configuration = configuration
        configuration.overwrite = true
        let (file, failure) = try write(Self.samples(audioDelay: .zero), configuration)
        #expect(failure == nil && file.parts.count == 4)
        #expect(try read(folder.file("a-002.mp4")).frames.count == 150)
    }

    @Test func `a still screen is asked for a keyframe at the limit`() throws {
        let (events, clock) = (TakeEvents(), TakeClock())
        clock.begin(at: MonotonicClock.now() - 4_500_000_000)
        let recording = try RecordingThread(
            target: try RecordingTarget(configuration), configuration: configuration, audio: [], clock: clock,
            observer: events)
        recording.begin(Self.video)
        recording.append(Self.sample(.video, 0, at: .zero))
        try wait("a request for a frame") {
            events.drain().contains { if case .needsFrame = $0 { true } else { false } }
        }
        try wait("a request for a keyframe") { recording.consumeKeyframeRequest() }
        #expect(clock.mediaTime(at: MonotonicClock.now()) >= .seconds(5))
        #expect(!recording.consumeKeyframeRequest())
        recording.append(Self.sample(.video, 1, at: .milliseconds(5010)))
        guard case .finished(let file) = recording.finish(at: .milliseconds(5500)) else {
            Issue.record("the recording is not finished")
            return
        }
        #expect(file.parts == [folder.file("a-001.mp4"), folder.file("a-002.mp4")])
        #expect(file.duration == .milliseconds(5500) && file.frames == 2)
    }

    @Test func `files are numbered with three digits, and more if there are more`() {
        #expect(
            [1, 12, 1000].compactMap { configuration.file(part: $0) }
                == ["001", "012", "1000"].map { folder.file("a-\($0).mp4") })
        #expect(TakeConfiguration(source: configuration.source, output: "/b.mp4").file(part: 1) == "/b.mp4")
    }
}
