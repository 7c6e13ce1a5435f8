// Films of recordings, judged by ffmpeg: which frames are copied, what the others show, and where the audio is.
import CoreTesting
import Foundation
import KineContainers
import KineEditing
import KineMeasure
import KineMedia
import Testing

@Suite(.tags(.real, .long)) struct ExportTests {
    private let folder: TemporaryDirectory
    private var target: String { folder.file("film.mp4") }

    init() throws { folder = try TemporaryDirectory() }

    private func export(
        _ path: String, rate: Int? = nil, _ change: (inout FilmEdits) -> Void
    ) throws -> (result: RecordingExport.Result, film: DecodedFile) {
        var edits = FilmEdits()
        change(&edits)
        let result = try RecordingExport(FinishedRecording(path), edits, rate: rate).write(
            to: target, ifTaken: .replace)
        let film = try DecodedFile(target, in: folder)
        #expect(result.frames == film.packets.count)
        return (result, film)
    }

    @Test(arguments: RecordingKind.allCases)
    func `without edits all is copied`(kind: RecordingKind) throws {
        let path = try Recordings.path(kind)
        let original = try DecodedFile(path, in: folder)
        let (result, film) = try export(path) { _ in }
        #expect(result.encodedFrames == 0 && result.reason == nil && result.shorter == .zero)
        #expect(film.packets == original.packets)
        #expect(film.audio == original.audio)
    }

    /// 40 sets of cuts in all.
    @Test(arguments: RecordingKind.allCases)
    func `a film with cuts shows each frame that is left at its time`(kind: RecordingKind) throws {
        let path = try Recordings.path(kind)
        let original = try DecodedFile(path, in: folder)
        let duration = try FinishedRecording(path).index.videoDuration
        var random = SeededGenerator(for: "export \(kind)")
        for number in 0..<8 {
            let cuts = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                let from = Double.random(in: 0..<duration.seconds, using: &random)
                return FilmEdits.Cut(from: from, to: from + .random(in: 0.001...0.6, using: &random))
            }
            let label = Comment(rawValue: "\(number): \(cuts)")
            let (result, film) = try export(path) { $0.cuts = cuts }
            var edits = FilmEdits()
            edits.cuts = cuts
            let timeline = FilmTimeline(edits, duration: duration)
            #expect(abs(film.end - ticks(timeline.duration)) <= 2, label)
            var copied = 0
            for (frame, packet) in film.packets.enumerated() {
                // In the middle, so that no rounding counts.
                let middle = MediaTime(ticks: Int64(packet.start + packet.duration / 2), timescale: 90000)
                let source = try original.number(at: ticks(timeline.source(at: middle)))
                let ratio = film.frame(frame).ratio(to: original.frame(source))
                #expect(ratio > 38, "\(label) frame \(frame)")
                if packet.hash == original.packets[source].hash { copied += 1 }
            }
            #expect(result.encodedFrames == film.packets.count - copied, label)
            #expect(film.packets[0].isKeyframe)
            try expectAudio(of: film, original, timeline, label)
        }
    }

    private func ticks(_ time: MediaTime) -> Int { Int(time.ticks(timescale: 90000)) }

    /// Each part's audio is that of the recording, to the sample. It is encoded twice, so quiet errors are allowed.
    private func expectAudio(
        of film: DecodedFile, _ original: DecodedFile, _ timeline: FilmTimeline, _ label: Comment
    ) throws {
        #expect(film.audio.count == original.audio.count)
        for (before, after) in zip(original.audio, film.audio) {
            #expect(abs(after.count - Int(timeline.duration.seconds * 48000)) <= 2048, label)
            for part in timeline.parts {
                func sample(_ time: MediaTime) -> Int { Int(time.ticks(timescale: 48000)) }
                // Without the cross-fades, and what AAC's blocks spread of them.
                let (first, last) = (sample(part.film.lowerBound) + 1200, sample(part.film.upperBound) - 1200)
                let shift = sample(part.source.lowerBound) - sample(part.film.lowerBound)
                guard first < min(last, after.count), last + shift <= before.count else { continue }
                var (error, energy) = (0.0, 0.0)
                for place in first..<min(last, after.count) {
                    let difference = Double(after[place] - before[place + shift])
                    error += difference * difference
                    energy += Double(before[place + shift] * before[place + shift])
                }
                let count = Double(min(last, after.count) - first)
                #expect((error / count).squareRoot() < max(0.01, 0.2 * (energy / count).squareRoot()), label)
            }
        }
    }

    @Test func `after fifty cuts picture and audio are together`() throws {
        let path = try Recordings.path(.pattern)
        let cuts = (0..<50).map { FilmEdits.Cut(from: 0.05 + Double($0) * 0.06, to: 0.05 + Double($0) * 0.06 + 0.0137) }
        let (result, film) = try export(path) { $0.cuts = cuts }
        let recorded = try FinishedRecording(path).index.videoDuration
        #expect(result.shorter == .seconds(50 * 0.0137))
        #expect(abs((recorded - result.shorter).seconds - Double(film.end) / 90000) < 0.005)
        for audio in film.audio { #expect(abs(Double(audio.count) / 48000 - Double(film.end) / 90000) < 0.05) }
    }

    @Test func `a cut in which no frame begins encodes nothing`() throws {
        let path = try Recordings.path(.screen)
        let original = try DecodedFile(path, in: folder)
        let longest = try #require(original.packets.max { $0.duration < $1.duration })
        let (start, length) = (Double(longest.start) / 90000, Double(longest.duration) / 90000)
        let (result, film) = try export(path) { edits in
            edits.cuts = [FilmEdits.Cut(from: start + length * 0.25, to: start + length * 0.75)]
        }
        #expect(result.encodedFrames == 0)
        #expect(film.packets.map(\.hash) == original.packets.map(\.hash))
    }

    @Test func `a zoom encodes its frames and those up to the next keyframe`() throws {
        let path = try Recordings.path(.pattern)
        let original = try DecodedFile(path, in: folder)
        let zoom = FilmEdits.Zoom(from: 0.3, to: 1.9, scale: 2, centre: [0.25, 0.25])
        let (result, film) = try export(path) { $0.zooms = [zoom] }
        let index = try FinishedRecording(path).index
        let curve = ZoomCurve([zoom], pointer: [], on: FilmStage(of: index.size, FilmEdits()), rate: 30)
        let end = try #require(curve.ranges.first).upperBound
        let keyframe = try #require(original.packets.first { $0.isKeyframe && Double($0.start) / 90000 >= end })
        let changed = film.packets.filter { $0.start > 27000 && $0.start < keyframe.start }
        #expect(result.encodedFrames == changed.count && changed.first?.isKeyframe == true)
        let untouched = original.packets.filter { $0.start <= 27000 || $0.start >= keyframe.start }
        let kept = film.packets.filter { $0.start <= 27000 || $0.start >= keyframe.start }
        #expect(kept.map(\.hash) == untouched.map(\.hash))
        // At rest in the zoom: the upper left quarter, as ffmpeg enlarges it.
        let still = try #require(film.packets.firstIndex { $0.start >= 90000 * 17 / 10 })
        #expect(curve.part(at: 1.7) == FilmRect(x: 0, y: 0, width: 160, height: 120))
        let number = try original.number(at: film.packets[still].start)
        let reference = folder.file("reference")
        let complaints = try Tool.complaints(
            "ffmpeg",
            ["-v", "error", "-i", path, "-vf", "select=eq(n\\,\(number)),crop=160:120:0:0,scale=320:240:flags=bicubic"]
                + ["-frames:v", "1", "-f", "rawvideo", "-y", reference])
        #expect(complaints == "")
        #expect(film.frame(still).ratio(to: try contents(reference)) > 33)
    }

    @Test func `a film of another size, shape or rate is encoded whole`() throws {
        let path = try Recordings.path(.settings)
        let (small, _) = try export(path) { $0.size = PixelSize(width: 160, height: 120) }
        #expect(small.reason == .otherFormat && small.size == PixelSize(width: 160, height: 120))
        let (square, _) = try export(path) { $0.shape = .square }
        #expect(square.size == PixelSize(width: 240, height: 240) && square.encodedFrames == square.frames)
        let (slow, film) = try export(path, rate: 10) { _ in }
        #expect(slow.reason == .otherFormat)
        #expect(zip(film.packets, film.packets.dropFirst()).allSatisfy { $1.start - $0.start > 4500 })
        #expect((30...40).contains(film.packets.count))
    }

    @Test func `what is faster has fewer frames and no audio`() throws {
        let path = try Recordings.path(.pattern)
        let (result, film) = try export(path) { $0.speeds = [FilmEdits.Speed(from: 0.5, to: 2.5, speed: 8)] }
        #expect(abs(result.shorter.seconds - 1.75) < 0.001)
        let fast = film.packets.filter { $0.start > 45000 && $0.start < 67500 }
        #expect((5...9).contains(fast.count))
        for audio in film.audio { #expect(audio[26000..<34000].allSatisfy { abs($0) < 0.02 }) }
    }

    @Test func `what cannot be is one sentence, and leaves no file`() throws {
        let path = try Recordings.path(.pattern)
        let recording = try FinishedRecording(path)
        var edits = FilmEdits()
        edits.zooms = [FilmEdits.Zoom(from: 0, to: 1, scale: .nan)]
        #expect(throws: EditingError.edits(.value(of: "zoom", allowed: "from 1.0 to 8.0"))) {
            try RecordingExport(recording, edits)
        }
        edits.zooms = []
        edits.cuts = [FilmEdits.Cut(from: 0, to: 1000)]
        #expect(throws: EditingError.nothingLeft) { try RecordingExport(recording, edits) }
        let export = try RecordingExport(recording, FilmEdits())
        #expect(throws: EditingError.writing(.isSource(path: path))) { try export.write(to: path, ifTaken: .replace) }
        try Data("mine".utf8).write(to: URL(filePath: target))
        #expect(throws: EditingError.writing(.alreadyExists(path: target))) { try export.write(to: target) }
        #expect(throws: EditingError.self) { try export.write(to: folder.file("none/film.mp4")) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("")) == ["film.mp4"])
    }
}
