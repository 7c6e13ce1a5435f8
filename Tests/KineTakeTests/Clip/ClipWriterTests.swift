// A clip on its way to the disk: whole under its name, or not there at all.
import CoreTesting
import Glibc
import KineContainers
import KineMeasure
import KineMedia
import Testing
import ThreadTesting

@testable import KinePlatform
@testable import KineTake

@Suite struct ClipWriterTests {
    private let folder: TemporaryDirectory
    private let clip: ClipSelection
    private static let video = VideoFormat(
        parameterSets: .h264(
            H264ParameterSets(sequence: [0x67, 0x64, 0, 0x28, 0xac], picture: [0x68, 0xee, 0x3c, 0x80])),
        size: PixelSize(width: 640, height: 360))

    init() throws {
        folder = try TemporaryDirectory()
        var screen = SyntheticScreen(seed: 3)
        var store = ClipStore(
            limits: ClipLimits(length: .seconds(60)), audio: [SyntheticScreen.audioFormat],
            scratch: ClipScratch(MemoryScratch()))
        // Something has to move.
        while screen.now < .seconds(300) || store.video.units.count < 200 { store.append(screen.next()) }
        clip = try #require(ClipSelection(of: store, end: screen.now, duration: .seconds(60)))
    }

    private var files: [Substring] {
        get throws { try Tool.output("ls", ["-A", folder.path]).split(separator: "\n") }
    }

    /// A disk that is full at some place of the file.
    private final class FullFile: StorageFile {
        private let file: WholeFile
        private let limit: Int64

        init(_ file: WholeFile, limit: Int64) {
            self.file = file
            self.limit = limit
        }

        var path: String { file.path }
        func size() throws(StorageError) -> Int64 { try file.size() }
        func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
            try file.read(at: offset, count: count)
        }
        func write(_ bytes: [UInt8], at offset: Int64) throws(StorageError) {
            guard offset + Int64(bytes.count) <= limit else { throw .full(path: path) }
            try file.write(bytes, at: offset)
        }
        func truncate(to size: Int64) throws(StorageError) { try file.truncate(to: size) }
        func synchronize() throws(StorageError) { try file.synchronize() }
        func reserve(through end: Int64) throws(StorageError) {
            guard end <= limit else { throw .full(path: path) }
            try file.reserve(through: end)
        }
        func publish() throws(StorageError) { try file.publish() }
        func isRemoved() throws(StorageError) -> Bool { try file.isRemoved() }
        func putBack() throws(StorageError) { try file.putBack() }
        func close() { file.close() }
    }

    @Test(.tags(.real)) func `a clip has no name before it is whole, and plays for exactly its duration`() throws {
        let path = folder.file("clip.mp4")
        let file = try WholeFile(path)
        let finished = try ClipWriter.write(clip, video: Self.video, to: file)
        #expect(try files == [])
        try file.publishWhole()
        #expect(try files == ["clip.mp4"])
        #expect(finished.frames == clip.video.count)
        let saved = try MP4Recovery.recover(path)
        #expect(saved.wasAlreadyFinished && saved.frames == clip.video.count)
        let video = try RecordedVideo(path: path)
        #expect(abs(video.duration - clip.duration.seconds) < 0.0001)
        for (frame, sample) in zip(video.frames, clip.video) where sample.time > .milliseconds(1) {
            #expect(abs(frame.start - sample.time.seconds) < 0.0001)
        }
    }

    @Test(arguments: [0, 0.3, 0.6, 0.95])
    func `a disk that is full at some moment is an error, and nothing is left`(part: Double) throws {
        let path = folder.file("clip.mp4")
        let whole = try ClipWriter.write(clip, video: Self.video, to: try WholeFile(path)).bytes
        let limit = Int64(Double(whole) * part)
        do {
            let file = FullFile(try WholeFile(path), limit: limit)
            #expect(throws: StorageError.full(path: path)) { try ClipWriter.write(clip, video: Self.video, to: file) }
        }
        #expect(try files == [])
    }

    @Test func `a file that is there is refused, and one that comes meanwhile is kept`() throws {
        let path = try folder.write([1, 2], to: "clip.mp4")
        #expect(throws: StorageError.alreadyExists(path: path)) { try WholeFile(path) }
        unlink(path)
        do {
            let file = try WholeFile(path)
            _ = try ClipWriter.write(clip, video: Self.video, to: file)
            try folder.write([1, 2], to: "clip.mp4")
            #expect(throws: StorageError.alreadyExists(path: path)) { try file.publishWhole() }
        }
        #expect(try files == ["clip.mp4"])
        #expect(try Tool.output("wc", ["-c", path]).hasPrefix("2 "))
        let file = try WholeFile(path, ifTaken: .replace)
        _ = try ClipWriter.write(clip, video: Self.video, to: file)
        #expect(try Tool.output("wc", ["-c", path]).hasPrefix("2 "))
        try file.publishWhole()
        #expect(try MP4Recovery.recover(path).wasAlreadyFinished)
    }

    @Test func `samples that the disk does not give back are an error, and the buffer goes on`() throws {
        let scratch = MemoryScratch()
        var store = ClipStore(
            limits: ClipLimits(length: .seconds(60), memory: 1 << 20), audio: [], scratch: ClipScratch(scratch))
        for second in 0..<40 {
            store.append(
                EncodedSample(
                    type: .video, presentationTime: .seconds(Double(second)), duration: .zero, isKeyframe: true,
                    data: [UInt8](repeating: 1, count: 100_000)))
        }
        let broken = try #require(ClipSelection(of: store, end: .seconds(40), duration: nil))
        let error = StorageError.failed(operation: "read from", path: "/scratch", code: 5)
        scratch.failure = error
        #expect(throws: error) {
            try ClipWriter.write(broken, video: Self.video, to: try WholeFile(folder.file("clip.mp4")))
        }
        #expect(try files == [])
    }

    @Test func `without a thread for the buffer the take does not begin, and there is no file`() throws {
        let folder = try TemporaryDirectory()
        let failure = Monitor<TakeError?>(nil)
        WithoutThreads.run {
            do throws(TakeError) {
                var configuration = TakeConfiguration(source: .pattern(PixelSize(width: 64, height: 64)), output: nil)
                configuration.audio.app = .none
                configuration.clipBuffer = .seconds(5)
                _ = try Take(
                    configuration: configuration, sources: .pattern, encoders: .x264, observer: TakeEvents())
            } catch {
                failure.signal { $0 = error }
            }
        }
        let told = try #require(failure.withLock { $0 })
        #expect(told.message.contains("“clips”"))
        #expect(rmdir(folder.path) == 0)
    }
}
