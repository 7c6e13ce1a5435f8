// `kinecast trim` and `kinecast thumbnail`, as a person types them.
import Glibc
import KineMeasure
import KinePlatform
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct EditCommandTests {
    private func record(_ place: TestPlace, _ name: String = "a.mp4") throws {
        let ended = try place.run("record", name, "--pattern", "320x240", "--duration", "3")
        try #require(ended.status == 0, "\(ended)")
    }

    @Test func `a part of a recording is saved, and the recording stays`() throws {
        try TestPlace.with { place in
            try record(place)
            let before = try PlayedFile(place.path("a.mp4"))
            let ended = try place.run("trim", "a.mp4", "--from", "0:00.5", "--to", "2.25s", "-o", "b.mp4", "--json")
            #expect(ended.status == 0, "\(ended)")
            let summary = try #require(ended.events.last)
            #expect(summary.result == "trimmed" && summary.exitStatus == 0)
            #expect(summary.output == place.path("b.mp4") && summary.duration == 1.75)
            #expect(ended.errors.contains("Saved \(place.path("b.mp4")): 1.8 s"))
            let after = try #require(try PlayedFile(place.path("b.mp4")))
            #expect(abs(after.duration - 1.75) < 0.001)
            #expect(try PlayedFile(place.path("a.mp4")) == before)
            // Without a name, beside the recording.
            #expect(try place.run("trim", "a.mp4", "--to", "1").status == 0)
            #expect(try TakeFile.finishedDuration(place.path("a trimmed.mp4")) == 1)
            // In a directory, with that name.
            try place.makeDirectory("parts")
            #expect(try place.run("trim", "a.mp4", "--to", "1", "-o", "parts").status == 0)
            #expect(try TakeFile.finishedDuration(place.path("parts/a trimmed.mp4")) == 1)
            #expect(try place.run("thumbnail", "a.mp4", "--at", "1", "-o", "parts/").status == 0)
            #expect(access(place.path("parts/a.png"), F_OK) == 0)
            #expect(try place.run("recover", "a.mp4", "--json").events.first?.output == place.path("a.mp4"))
        }
    }

    @Test func `a frame is saved as an image`() throws {
        try TestPlace.with { place in
            try record(place)
            let ended = try place.run(
                "thumbnail", "a.mp4", "--at", "1.5", "--size", "160x160", "-o", "b.jpg", "--json")
            #expect(ended.status == 0, "\(ended)")
            let summary = try #require(ended.events.last)
            #expect(summary.result == "thumbnail" && summary.output == place.path("b.jpg"))
            #expect((summary.width, summary.height) == (160, 120))
            #expect(try RecordedVideo(path: place.path("b.jpg")).size == .init(width: 160, height: 120))
            #expect(try place.run("thumbnail", "a.mp4", "--at", "0").status == 0)
            #expect(try RecordedVideo(path: place.path("a.png")).size == .init(width: 320, height: 240))
            // What exists is not replaced unasked.
            let again = try place.run("thumbnail", "a.mp4", "--at", "1")
            #expect(again.status == ExitStatus.cannotCreate && again.errors.contains("--overwrite"))
            #expect(try place.run("thumbnail", "a.mp4", "--at", "1", "--overwrite").status == 0)
        }
    }

    @Test func `wrong use says what to do, with its status, and loses nothing`() throws {
        try TestPlace.with { place in
            try record(place)
            try place.write("older", to: "older.mp4")
            try place.write("no film", to: "foreign.mp4")
            try place.makeDirectory("shut")
            let before = try Tool.contents(of: place.path("a.mp4"))
            for (arguments, status, words) in [
                (["trim", "a.mp4"], ExitStatus.usage, "--from TIME"),
                (["trim", "a.mp4", "--from", "-1"], ExitStatus.usage, "--from"),
                (["trim", "a.mp4", "--from", "2", "--to", "1"], ExitStatus.usage, "later than its start"),
                (["trim", "a.mp4", "--from", "1:00"], ExitStatus.usage, "choose an earlier time"),
                (["trim", "foreign.mp4", "--to", "1"], ExitStatus.usage, "is not a recording of Kinecast's"),
                (["trim", "missing.mp4", "--to", "1"], ExitStatus.usage, "missing.mp4 cannot be opened"),
                (["trim", "a.mp4", "--to", "1", "-o", "older.mp4"], ExitStatus.cannotCreate, "exists already"),
                (
                    ["trim", "a.mp4", "--to", "1", "-o", "a.mp4", "--overwrite"], ExitStatus.cannotCreate,
                    "the recording itself"
                ),
                (["trim", "a.mp4", "--to", "1", "-o", "no/b.mp4"], ExitStatus.cannotCreate, "cannot be created"),
                (["trim", "a.mp4", "--chapters"], ExitStatus.usage, "has no chapters"),
                (["trim", "a.mp4", "--chapters", "--to", "1"], ExitStatus.usage, "saves nothing"),
                (["recover", "missing.mp4"], ExitStatus.usage, "missing.mp4 cannot be opened"),
                (["recover", "shut"], ExitStatus.usage, "is not an ordinary file"),
                (["record", "new/", "--pattern", "320x240"], ExitStatus.cannotCreate, "There is no directory new/"),
                (["thumbnail", "a.mp4"], ExitStatus.usage, "--at"),
                (["thumbnail", "a.mp4", "--at", "1:00"], ExitStatus.usage, "choose an earlier time"),
                (["thumbnail", "a.mp4", "--at", "1", "-o", "b.gif"], ExitStatus.usage, ".png"),
                (["thumbnail", "a.mp4", "--at", "1", "-o", "no/b.png"], ExitStatus.cannotCreate, "cannot be created"),
            ] {
                let ended = try place.run(arguments)
                #expect(ended.status == status, "\(arguments): \(ended)")
                #expect(ended.errors.contains(words), "\(arguments): \(ended.errors)")
                #expect(ended.output == "")
            }
            #expect(try Tool.contents(of: place.path("a.mp4")) == before)
            #expect(try Tool.contents(of: place.path("older.mp4")) == Array("older".utf8))
            #expect(try place.run("trim", "a.mp4", "--to", "1", "-o", "older.mp4", "--overwrite").status == 0)
            #expect(try TakeFile.finishedDuration(place.path("older.mp4")) == 1)
        }
    }

    @Test func `a recording that runs is left alone`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.recorded(1)
            let ended = try place.run("trim", "a.mp4", "--to", "0.5")
            #expect(ended.status == ExitStatus.usage && ended.errors.contains("stop that take first"))
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }

    @Test func `a limit on the size of files is told, and nothing is left`() throws {
        try TestPlace.with { place in
            try record(place)
            let program = RunningKinecast.executable.string
            let shell = try RunningKinecast(
                arguments: ["-c", "ulimit -f 8; exec \"$0\" trim a.mp4 --from 0.5 -o b.mp4", program],
                environment: place.environment, directory: place.directory, executable: "/bin/sh")
            let ended = try shell.wait()
            #expect(ended.status == ExitStatus.storageFailed, "\(ended)")
            #expect(ended.errors.contains("ulimit -f allows no larger file"))
            #expect(access(place.path("b.mp4"), F_OK) != 0)
        }
    }
}
