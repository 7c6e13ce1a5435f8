// Chapters: their marks in a recording, what recovery makes of them, and the chapters of finished files and excerpts.
import CoreTesting
import KineMedia
import Testing

@testable import KineContainers

@Suite struct ChapterTests {
    private static let take = SyntheticTake(seed: 11, seconds: 8, audio: [SyntheticTake.audio(.audioApp)])
    /// One in the middle of the take, and one just before its end.
    private static let marks = [Chapter(ticks: 90_000, title: "Größe"), Chapter(ticks: 719_000, title: "b")]
    private static let expected = ["0 Start", "90000 Größe", "719000 b"]

    /// Writes the take, each mark with the first flush after it.
    private func file(_ marks: [Chapter] = ChapterTests.marks, finishing: Bool = true) throws -> MemoryFile {
        let file = MemoryFile()
        let writer = try MP4Writer(file: file, video: SyntheticTake.video, audio: Self.take.audio, creationTime: 0)
        var left = marks[...]
        for step in Self.take.steps {
            switch step {
            case .sample(let sample): writer.append(sample)
            case .input(let input): writer.append(input: input.data, at: input.time)
            case .flush(let time):
                while let mark = left.first, mark.start <= time {
                    writer.mark(mark)
                    left.removeFirst()
                }
                try writer.flush(through: time)
            case .synchronize: break
            }
        }
        #expect(left.isEmpty)
        if finishing { _ = try writer.finish(at: Self.take.end) }
        return file
    }

    private func words(_ chapters: [Chapter]) -> [String] { chapters.map { "\($0.ticks) \($0.title)" } }

    /// Those of the index, which a list shows, too.
    private func chapters(of file: MemoryFile) throws -> [String] {
        let chapters = try RecordingIndex(reading: file).chapters
        if case .finished(let summary) = try RecordingSummary(of: file) { #expect(summary.chapters == chapters) }
        return words(chapters)
    }

    /// Recovers the file, and checks that no frame is missing.
    private func recoverWhole(_ file: MemoryFile, sourceLocation: SourceLocation = #_sourceLocation) throws
        -> RecoveredFile
    {
        let recovered = try MP4Recovery.recover(file)
        #expect(recovered.frames == Self.take.samples[0].count, sourceLocation: sourceLocation)
        #expect(recovered.audioAccessUnits == Self.take.samples[1].count, sourceLocation: sourceLocation)
        return recovered
    }

    @Test func `finished, recovered and moved files have the chapters, and the first begins with the file`() throws {
        let finished = try file()
        #expect(try chapters(of: finished) == Self.expected)
        let killed = try file(finishing: false)
        #expect(try recoverWhole(killed).skippedBytes == 0)
        #expect(try chapters(of: killed) == Self.expected)
        let plan = try #require(try MP4FastStart.plan(for: finished))
        let moved = plan.head + finished.bytes[Int(plan.rest.lowerBound)..<Int(plan.rest.upperBound)]
        #expect(try chapters(of: MemoryFile(moved)) == Self.expected)
        _ = try Self.take.check(finished.bytes)
        #expect(try chapters(of: file([Chapter(ticks: 0, title: "a")])) == ["0 a"])
        #expect(try chapters(of: file([])) == [])
    }

    @Test func `every prefix of the writer's operations keeps the chapters begun before`() throws {
        let whole = try file()
        var most = 0
        for count in 0...whole.operations.count {
            let part = MemoryFile.after(whole.operations[..<count])
            guard (try? MP4Recovery.recover(part)) != nil else { continue }
            let found = try chapters(of: part)
            #expect(Self.expected.starts(with: found) && found.count >= most)
            most = found.count
        }
        #expect(most == 3)
    }

    @Test func `a mark is in the file after the next flush, also without a new sample`() throws {
        let file = MemoryFile()
        let writer = try MP4Writer(file)
        writer.append(Self.take.samples[0][0])
        try writer.flush(through: .seconds(1))
        let size = file.bytes.count
        let mark = Chapter(ticks: 90_000, title: "a")
        writer.mark(mark)
        writer.mark(mark)
        try writer.flush(through: .seconds(2))
        // No two chapters share an instant.
        #expect(file.bytes[size...].elementsEqual(mark.mark + Chapter(ticks: 90_001, title: "a").mark))
        let expected: [UInt8] =
            [0, 0, 0, 25] + Array("freekinemark".utf8) + [0, 0, 0, 0, 0, 1, 0x5f, 0x90, UInt8(ascii: "a")]
        #expect(mark.mark == expected)
    }

    @Test func `a mark cut anywhere at the end costs its chapter alone`() throws {
        let plain = try file([], finishing: false).bytes
        let mark = Self.marks[0].mark
        for count in 0...mark.count {
            let cut = MemoryFile(plain + mark.prefix(count))
            _ = try recoverWhole(cut)
            #expect(try chapters(of: cut) == (count == mark.count ? ["0 Start", "90000 Größe"] : []))
        }
    }

    @Test func `a damaged mark costs no frame, and gives a chapter or none`() throws {
        let whole = try file(finishing: false).bytes
        let boxes = try OracleBox.parse(whole, 0..<whole.count).filter {
            $0.type == "free" && Chapter.markSizes ~= $0.size
        }
        try #require(boxes.count == 2)
        for index in boxes.flatMap({ $0.offset..<$0.offset + $0.size }) {
            for change: UInt8 in [0x01, 0x55, 0x80, 0xff] {
                var bytes = whole
                bytes[index] ^= change
                let damaged = MemoryFile(bytes)
                _ = try recoverWhole(damaged)
                #expect(try RecordingIndex(reading: damaged).chapters.count <= 3)
            }
        }
    }

    @Test func `repeated marks and those beyond 254 are ignored`() throws {
        let plain = try file([], finishing: false).bytes
        let repeated = MemoryFile(plain + Self.marks[0].mark + Self.marks[0].mark)
        #expect(try recoverWhole(repeated).skippedBytes == 0)
        #expect(try chapters(of: repeated) == ["0 Start", "90000 Größe"])
        let many = MemoryFile(plain + (1...300).flatMap { Chapter(ticks: UInt64($0) * 900, title: "\($0)").mark })
        #expect(try recoverWhole(many).skippedBytes == 0)
        let found = try RecordingIndex(reading: many).chapters
        #expect(found.count == 255 && found.last?.title == "254")
    }

    @Test func `a mark in front of an unfinished index is read, and the index is not`() throws {
        let finished = try file()
        for back in 2...6 {
            let unfinished = MemoryFile.after(finished.operations.dropLast(back))
            #expect(try recoverWhole(unfinished).skippedBytes == 0)
            #expect(try chapters(of: unfinished) == Self.expected)
        }
    }

    @Test func `marks beyond the end are left out`() throws {
        let late = MemoryFile(try file(finishing: false).bytes + Chapter(ticks: 730_000, title: "c").mark)
        _ = try recoverWhole(late)
        #expect(try chapters(of: late) == Self.expected)
    }

    @Test func `the space of an index with chapters is reserved, its margin untouched`() throws {
        let title = String(repeating: "é", count: 127) + "x"
        let marks = (1...254).map { Chapter(ticks: UInt64($0) * 2800, title: title) }
        let finished = try file(marks)
        #expect(try RecordingIndex(reading: finished).chapters.count == 255)
        #expect(finished.largestReserve >= Int64(finished.bytes.count) + 64 << 10)
        #expect(Chapter.userData(marks, before: .seconds(8)).count <= Chapter.userDataBound(marks))
    }

    @Test func `an excerpt has the chapters of its part, from its beginning on`() throws {
        let file = try file()
        let index = try RecordingIndex(reading: file)
        for (from, to, expected) in [
            (500, 8000, ["0 Start", "45000 Größe", "674000 b"]), (500, 900, ["0 Start"]), (1500, 3000, ["0 Größe"]),
            (1000, 7990, ["0 Größe", "629000 b"]),
        ] as [(Int64, Int64, [String])] {
            let excerpt = try MovieExcerpt(of: index, from: .milliseconds(from), to: .milliseconds(to))
            #expect(words(excerpt.chapters) == expected)
            let frames = excerpt.encodedFrames.map { _ in [UInt8](repeating: 0, count: 5) }
            let layout = ExcerptLayout(excerpt, MovieExcerpt.NewSamples(frames: frames))
            let bytes = layout.headBytes + [UInt8](repeating: 0, count: Int(layout.size) - layout.headBytes.count)
            #expect(try chapters(of: MemoryFile(bytes)) == expected)
        }
    }

    private static let form = Chapter.userData([Chapter(start: .seconds(1), title: "a")], before: .seconds(2))

    @Test func `the chapters of a file are Nero's, as FFmpeg writes them`() throws {
        let expected: [UInt8] =
            [0, 0, 0, 49] + Array("udta".utf8) + [0, 0, 0, 41] + Array("chpl".utf8)
            + [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 5] + Array("Start".utf8)
        #expect(Self.form == expected + [0, 0, 0, 0, 0, 0x98, 0x96, 0x80, 1, UInt8(ascii: "a")])
        #expect(try words(Chapter.all(in: BoxReader(Self.form))) == ["0 Start", "90000 a"])
        #expect(try Chapter.all(in: BoxReader([UInt8]())) == [])
    }

    @Test(arguments: [
        (16, 0, "an older version"), (24, 1, "fewer chapters than there are"), (24, 3, "more"), (32, 1, "a late start"),
        (33, 6, "a longer title"), (34, 10, "a control character"), (34, 0xff, "no UTF-8"),
        (39, 0xff, "a time too late"), (47, 0, "an empty title"),
    ])
    func `chapters of another form are refused`(offset: Int, value: Int, what: String) {
        var bytes = Self.form
        bytes[offset] = UInt8(value)
        #expect(throws: MalformedBox.self, "\(what)") { try Chapter.all(in: BoxReader(bytes)) }
    }

    @Test func `a recording whose list of chapters is damaged is read without them`() throws {
        var bytes = try file().bytes
        let list = try #require(bytes.indices.last { bytes[$0...].starts(with: "chpl".utf8) })
        bytes[list + 4] = 0
        let index = try RecordingIndex(reading: MemoryFile(bytes))
        #expect(index.chapters.isEmpty && index.frameCount == Self.take.samples[0].count)
    }

    @Test func `a title is one line of at most 255 bytes`() {
        for title in ["a", " ", String(repeating: "é", count: 127), "👩‍👩‍👧 e\u{301}"] {
            #expect(Chapter.problem(ofTitle: title) == nil)
        }
        for (title, words) in [
            ("", "is empty"), (String(repeating: "é", count: 128), "shorten it"), ("a\nb", "one line"),
            ("a\u{2028}b", "one line"), ("\u{1b}[1m", "control characters"),
        ] {
            #expect(Chapter.problem(ofTitle: title)?.contains(words) == true, "\(title.debugDescription)")
        }
    }
}
