// Recordings whose frames change their size: what ffmpeg decodes in every state of the file, and what recovery and excerpts
// make of them.
import CoreTesting
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage
import Testing

@testable import KineContainers

@Suite(.tags(.real)) struct FormatChangeTests {
    private let directory: TemporaryDirectory
    private let wide: RealMedia
    private let tall: RealMedia

    init() throws {
        directory = try TemporaryDirectory()
        (wide, tall) = (try RealMedia.shared.get(), try RealMedia.tall.get())
    }

    /// Three seconds of 30 frames: wide, tall, and wide again. As in a take, keyframes have their parameter sets from the
    /// first change on.
    private func write(to writer: some MovieWriter) throws {
        for number in 0..<90 {
            let media = number / 30 == 1 ? tall : wide
            var sample = media.frame(number, at: time(number))
            if number >= 30, sample.isKeyframe { sample.data = media.video.parameterSets.units + sample.data }
            if number == 30 || number == 60 { try writer.change(to: media.video, at: time(number)) }
            writer.append(sample)
            if number % 10 == 9 { try writer.flush(through: time(number + 1)) }
        }
    }

    private func time(_ frame: Int) -> MediaTime { MediaTime(ticks: Int64(frame), timescale: 30) }

    private func writer(_ file: any StorageFile) throws -> MP4Writer {
        try MP4Writer(file: file, video: wide.video, audio: [], creationTime: 0)
    }

    private func size(_ frame: Int) -> PixelSize { (30..<60).contains(frame) ? tall.video.size : wide.video.size }

    /// Decodes a file, whose frames are those of this range.
    private func check(_ path: String, _ frames: Range<Int> = 0..<90) throws {
        let result = try run(
            "ffprobe",
            [
                "-v", "warning", "-select_streams", "v", "-show_entries", "frame=width,height", "-of", "csv=p=0", path,
            ])
        #expect(result.errors == "")
        let sizes = result.output.split(separator: "\n").map(String.init)
        #expect(sizes == frames.map { "\(size($0).width),\(size($0).height)" })
        try decode(path)
    }

    @Test func `each frame is decoded in its own size, in every state of the file`() throws {
        let path = directory("take.mp4")
        let writer = try writer(DiskFile.create(path))
        try write(to: writer)
        try check(path)
        let copy = directory("copy.mp4")
        try KineContainersTests.write(contents(of: path), to: copy)
        #expect(try writer.finish(at: .seconds(3)).frames == 90)
        try check(path)
        try MP4FastStart.moveIndexToFront(path)
        try check(path)
        #expect(try MP4Recovery.recover(copy).frames == 90)
        try check(copy)
    }

    @Test func `a stream is decoded and recovered like a file`() throws {
        let path = directory("take.mp4")
        let pipe = try FileDescriptor.pipe()
        let reader = try DedicatedThread(starting: "reader") {
            defer { try? pipe.readEnd.close() }
            _ = try? KineContainersTests.write(Tool.readAll(pipe.readEnd), to: path)
        }
        let writer = try MP4StreamWriter(
            stream: ByteStream(pipe.writeEnd, path: "-"), video: wide.video, audio: [], creationTime: 0)
        try write(to: writer)
        #expect(writer.finish(at: .seconds(3)).frames == 90)
        try pipe.writeEnd.close()
        reader.join()
        try check(path)
        #expect(try MP4Recovery.recover(path).skippedBytes == 0)
        try check(path)
    }

    @Test func `whatever is left of a recording, recovery knows the format of each frame`() throws {
        let whole = MemoryFile()
        let writer = try writer(whole)
        try write(to: writer)
        _ = try writer.finish(at: .seconds(3))
        var most = 0
        for count in 1...whole.operations.count {
            let file = MemoryFile.after(whole.operations[..<count])
            guard let frames = try? MP4Recovery.recover(file).frames else { continue }
            let index = try RecordingIndex(reading: file)
            #expect(index.frameCount == frames && frames >= most)
            most = frames
            for frame in 0..<frames {
                let video = (30..<60).contains(frame) ? tall.video : wide.video
                #expect(index.size(ofFrame: frame) == video.size)
                #expect(index.h264ParameterSets(ofFrame: frame).map(VideoParameterSets.h264) == video.parameterSets)
            }
            if frames > 30 { #expect(index.size == PixelSize(width: 320, height: 240), "the largest of both sides") }
        }
        #expect(most == 90)
    }

    @Test func `where the mark of a change is lost, the frames are still there and play`() throws {
        let file = MemoryFile()
        try write(to: try writer(file))
        var bytes = file.bytes
        let name = Array("kineform".utf8)
        let marks = bytes.indices.filter { bytes[$0...].starts(with: name) }
        try #require(marks.count == 6, "one before each fragment from the first change on")
        bytes.replaceSubrange(marks[0]..<marks[0] + 8, with: [UInt8](repeating: 0, count: 8))
        let path = directory("take.mp4")
        try KineContainersTests.write(bytes, to: path)
        #expect(try MP4Recovery.recover(path).frames == 90)
        try check(path)
    }

    @Test func `after a damaged fragment recovery knows the format again`() throws {
        let file = MemoryFile()
        try write(to: try writer(file))
        var bytes = file.bytes
        let marks = bytes.indices.filter { bytes[$0...].starts(with: "kineform".utf8) }
        // From the middle of the first change's mark into its fragment, whose ten frames are lost.
        bytes.replaceSubrange(marks[0]..<marks[0] + 400, with: [UInt8](repeating: 0xff, count: 400))
        let recovered = MemoryFile(bytes)
        #expect(try MP4Recovery.recover(recovered).frames == 80)
        let index = try RecordingIndex(reading: recovered)
        for frame in 0..<80 { #expect(index.size(ofFrame: frame) == size(frame < 30 ? frame : frame + 10)) }
    }

    @Test(arguments: [30..<60, 30..<90, 0..<90, 60..<90])
    func `an excerpt has the formats of its frames, the first one's first`(frames: Range<Int>) throws {
        let file = MemoryFile()
        let writer = try writer(file)
        try write(to: writer)
        _ = try writer.finish(at: .seconds(3))
        let excerpt = try MovieExcerpt(
            of: RecordingIndex(reading: file), from: time(frames.lowerBound), to: time(frames.upperBound))
        let (bytes, _) = MovieExcerptTests.file(of: excerpt, file.bytes)
        let index = try RecordingIndex(reading: MemoryFile(bytes))
        let areTwo = frames.count > 30
        #expect(index.video.description.sampleEntries.count == (areTwo ? 2 : 1))
        #expect(index.video.description.sampleEntries[0] == index.video.sampleEntry(of: 0))
        #expect(index.size == (areTwo ? PixelSize(width: 320, height: 240) : size(frames.lowerBound)))
        for (number, frame) in frames.enumerated() { #expect(index.size(ofFrame: number) == size(frame)) }
        let path = directory("cut.mp4")
        try KineContainersTests.write(bytes, to: path)
        try check(path, frames)
    }

    @Test func `a track has at most 250 sample entries, and frames of later formats refer to the last one`() {
        var track = MovieDescription(creationTime: 0, video: wide.video, audio: []).tracks[0]
        let most = UInt32(TrackDescription.mostSampleEntries)
        for number in 1...most + 10 {
            var format = wide.video
            format.size.width += Int(number) - 1
            let given = track.number(of: SampleEntry.video(format))
            #expect(given == min(number, most))
        }
        let first = track.number(of: SampleEntry.video(wide.video))
        #expect(first == 1)
        #expect(track.sampleEntries.count == Int(most))
    }
}
