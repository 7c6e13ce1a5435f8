// Files that are not Kinecast's, or not whole, are refused in words, and nothing is written.
import CoreTesting
import Foundation
import KineCodecs
import KineContainers
import KineEditing
import KineMeasure
import KineMedia
import Testing

@Suite(.tags(.real)) struct ForeignFileTests {
    private let folder: TemporaryDirectory
    private var target: String { folder.file("cut.mp4") }

    init() throws { folder = try TemporaryDirectory() }

    private func trim(_ path: String, from: MediaTime = .milliseconds(500)) throws -> RecordingTrim.Result {
        try RecordingTrim(FinishedRecording(path), from: from, to: .seconds(2)).write(to: target)
    }

    private func expectRefusal(_ path: String, _ error: RecordingIndex.Error) {
        #expect(throws: EditingError.recording(error)) { try trim(path) }
        #expect(EditingError.recording(error).description.contains(path))
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    /// ffmpeg's arguments for files of others.
    @Test(arguments: [
        ["-c:v", "libx264", "-bf", "3"], ["-c:v", "libx264", "-bf", "0", "-movflags", "+faststart"],
        ["-c:v", "libx264", "-movflags", "frag_keyframe+empty_moov"],
        ["-c:v", "libx265", "-x265-params", "log-level=0"],
        ["-c:v", "mpeg4"],
    ])
    func `another program's file is refused`(arguments: [String]) throws {
        let path = folder.file("foreign.mp4")
        let source = ["-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=30:duration=3"]
        _ = try Tool.output("ffmpeg", source + arguments + ["-pix_fmt", "yuv420p", path])
        expectRefusal(path, .notARecording(path: path))
    }

    @Test func `a recording that another program has rewritten is refused`() throws {
        let path = folder.file("rewritten.mp4")
        _ = try Tool.output(
            "ffmpeg", ["-v", "error", "-nostdin", "-i", try Recordings.path(.pattern), "-c", "copy", path])
        expectRefusal(path, .notARecording(path: path))
    }

    @Test func `what is no film, or no file, is refused`() throws {
        for (name, bytes) in [("empty.mp4", []), ("text.mp4", Array("no film".utf8)), ("noise.mp4", Self.noise)] {
            let path = try folder.write(bytes, to: name)
            expectRefusal(path, .notARecording(path: path))
        }
        let missing = folder.file("missing.mp4")
        expectRefusal(missing, .storage(.cannotOpen(path: missing, code: ENOENT)))
        expectRefusal(folder.path, .storage(.notARegularFile(path: folder.path)))
    }

    private static let noise = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) }

    @Test func `a recording whose end is missing is sent to recover`() throws {
        let whole = try contents(try Recordings.path(.pattern))
        for length in [whole.count - 1, whole.count / 2, 5000] {
            let path = try folder.write(whole.prefix(length), to: "cut\(length).mp4")
            expectRefusal(path, .notFinished(path: path))
        }
        #expect(RecordingIndex.Error.notFinished(path: "a").description.contains("recover it first"))
    }

    @Test func `another encoder's stream is cut at its keyframes alone`() throws {
        var file = try contents(try Recordings.path(.pattern))
        // The constraint flags of the SPS, behind its header, length and profile: x264 sets none here.
        let record = try #require(file.range(of: Data("avcC".utf8), options: .backwards))
        let flags = record.upperBound + 8 + 2
        try #require(file[flags] == 0 && file[flags - 2] == 0x67)
        file[flags] = 0x04
        let path = try folder.write(file, to: "other.mp4")
        #expect(throws: EditingError.encoder(.otherEncoder)) { try trim(path) }
        #expect(!FileManager.default.fileExists(atPath: target))
        let index = try FinishedRecording(path).index
        let keyframe = try #require((1..<index.frameCount).first(where: index.isKeyframe))
        #expect(try trim(path, from: index.time(of: keyframe)).encodedFrames == 0)
    }

    @Test func `a stream of larger frames than the index says is not decoded`() throws {
        var file = try contents(try Recordings.path(.pattern))
        let index = try #require(file.range(of: Data("moov".utf8), options: .backwards))
        let header = try #require(file.range(of: Data("tkhd".utf8), in: index.upperBound..<file.endIndex)).upperBound
        // Behind the version, times, an id, what is reserved, and the matrix (ISO/IEC 14496-12, 8.3.2).
        let place = header + (file[header] == 1 ? 88 : 76)
        file.replaceSubrange(place..<place + 8, with: [0, 16, 0, 0, 0, 16, 0, 0])
        // Width and height of the sample entry, which count for decoding (12.1.3).
        let entry = try #require(file.range(of: Data("avc1".utf8), options: .backwards)).upperBound + 24
        file.replaceSubrange(entry..<entry + 4, with: [0, 16, 0, 16])
        let recording = try FinishedRecording(try folder.write(file, to: "small.mp4"))
        try #require(recording.index.size == PixelSize(width: 16, height: 16))
        let error = #expect(throws: EditingError.self) {
            try RecordingImages.make(of: recording, at: [.zero], fitting: nil, .png)
        }
        guard case .decoder = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `an image of a damaged frame is an error, and those before it are not`() throws {
        let path = try Recordings.path(.pattern)
        let index = try FinishedRecording(path).index
        var file = try contents(path)
        let place = try #require(file.range(of: Data(try index.accessUnit(3, in: try DiskFile.openToRead(path)))))
        file.replaceSubrange(place.lowerBound..<place.lowerBound + 4, with: [0, 0, 0, 0])
        let damaged = try FinishedRecording(try folder.write(file, to: "damaged.mp4"))
        #expect(try RecordingImages.make(of: damaged, at: [index.time(of: 2)], fitting: nil, .png).count == 1)
        let error = #expect(throws: EditingError.self) {
            try RecordingImages.make(of: damaged, at: [index.time(of: 3)], fitting: nil, .png)
        }
        guard case .decoder(.damaged) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
