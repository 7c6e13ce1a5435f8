// Chapters that are marked while a take runs, as players and scripts find them in its file.
import Glibc
import KineMeasure
import KinePlatform
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct ChapterTests {
    private static let pattern = ["--pattern", "320x240", "--audio", "none", "--json"]

    /// The beginning of a new chapter, in seconds.
    private func mark(_ place: TestPlace, _ title: String...) throws -> Double {
        let ended = try place.run(["mark", "--json"] + title)
        #expect(ended.status == 0, "\(ended)")
        let event = try #require(ended.events.first)
        #expect(event.event == "chapter" && (title.isEmpty || event.title == title[0]))
        return try #require(event.start)
    }

    /// Beginning and title of each chapter, as ffprobe reads them.
    private func chapters(_ path: String) throws -> [(start: Double, title: String)] {
        let text = try Tool.output(
            "ffprobe",
            ["-v", "error", "-show_entries", "chapter=start_time:chapter_tags=title", "-of", "csv=p=0", path])
        return text.split(separator: "\n").map { line in
            let fields = line.split(separator: ",", maxSplits: 1)
            return (Double(fields[0]) ?? -1, fields.count > 1 ? String(fields[1]) : "")
        }
    }

    @Test func `chapters are in the finished file, for ffprobe, mediainfo and trim --chapters`() throws {
        try TestPlace.with { place in
            let take = try place.start(["record", "a.mp4"] + Self.pattern)
            try take.recorded(1)
            let first = try mark(place)
            try take.recorded(first + 1.1)
            // In a pause, the chapter begins where the take goes on.
            #expect(try place.run("pause").status == 0)
            let second = try mark(place, "Größe")
            #expect(try place.run("resume").status == 0)
            try take.recorded(second + 2)
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
            let path = place.path("a.mp4")
            let found = try chapters(path)
            #expect(found.map(\.title) == ["Start", "Chapter 1", "Größe"])
            for (chapter, start) in zip(found, [0, first, second]) { #expect(abs(chapter.start - start) < 0.001) }
            let menu = try Tool.output("mediainfo", [path])
            #expect(menu.contains("Menu") && menu.contains(": Chapter 1\n"), "\(menu)")
            let printed = try place.run("trim", "a.mp4", "--chapters").output.split(separator: "\n")
            #expect(printed.count == 3 && printed.first == "0:00 Start" && printed.last?.hasSuffix(" Größe") == true)
            let list = try place.run("trim", "a.mp4", "--chapters", "--json").output
            #expect(list.hasPrefix(#"[{"start":0,"title":"Start"},{"start":"#), "\(list)")
            #expect(list.hasSuffix(#","title":"Größe"}]"# + "\n"), "\(list)")
            #expect(try place.run("trim", "a.mp4", "--from", "\(Int(second) + 1)", "-o", "b.mp4").status == 0)
            #expect(try chapters(place.path("b.mp4")).map(\.title) == ["Größe"])
        }
    }

    @Test func `the engine is killed after a mark: the recovered file has the chapter`() throws {
        try TestPlace.with { place in
            let take = try place.start(["record", "a.mp4"] + Self.pattern)
            try take.recorded(1)
            let start = try mark(place, "Go")
            let path = place.path("a.mp4")
            let magic = Array("kinemark".utf8)
            try wait("the mark in the file") {
                let bytes = try Tool.contents(of: path)
                return bytes.indices.contains { bytes[$0] == magic[0] && bytes[$0...].starts(with: magic) }
            }
            // A chapter has frames: one at the end of the file is left out.
            try take.recorded(start + 1.5)
            kill(try place.registry().find(nil).pid, SIGKILL)
            let ended = try take.wait()
            #expect(ended.events.last?.result == "recovered", "\(ended)")
            let found = try chapters(path)
            #expect(found.map(\.title) == ["Start", "Go"])
            #expect(abs((found.last?.start ?? 0) - start) < 0.001)
        }
    }

    @Test func `a take without a file has no chapters, and a sentence says so`() throws {
        try TestPlace.with { place in
            let none = try place.run("mark")
            #expect(none.status == ExitStatus.unavailable && none.errors.contains("No take is running"), "\(none)")
            #expect(try place.run("mark", "a\nb").status == ExitStatus.usage)
            let clips = try place.start(["record", "--clip-buffer", "5s"] + Self.pattern)
            try clips.event("started")
            let unrecorded = try place.run("mark")
            #expect(unrecorded.status == ExitStatus.unavailable && unrecorded.errors.contains("Nothing is recorded"))
            clips.signal(SIGINT)
            _ = try clips.wait()
            let stream = try place.start("record", "-", "--pattern", "320x240", "--audio", "none")
            try wait("the take") { try place.run("status", "--json").output.contains(#""phase":"recording""#) }
            let refused = try place.run("mark")
            #expect(refused.status == ExitStatus.unavailable && refused.errors.contains("record to a file"))
            stream.signal(SIGINT)
            #expect(try stream.wait().status == 0)
        }
    }
}
