// The studio's library with real recordings, over HTTP as a page asks for it.
import FoundationEssentials
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineWire
import ProcessTesting
import ScreenTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct StudioRecordingsTests {
    private struct Listing: Decodable {
        struct Recording: Decodable {
            var id: String
            var name: String
            var state: String
            var duration: Double?
            var hasInput: Bool?
        }

        var recordings: [Recording]
    }

    /// A page's session.
    private struct Session {
        let studio: RunningStudio
        let headers: [String]

        init(_ studio: RunningStudio, with link: LiveLink? = nil) throws {
            (self.studio, headers) = (studio, try studio.openSession(with: link))
        }

        func ask(
            _ method: String, _ path: String, _ content: String = "{}", _ more: [String] = []
        ) throws -> (status: Int, content: [UInt8]) {
            try HTTPExchange.ask(
                port: studio.port, method: method, path: "/api/\(path)", content: Array(content.utf8),
                headers: headers + more, deadline: MonotonicClock.now() + 60_000_000_000)
        }

        func value<Value: Decodable>(
            _ type: Value.Type, _ method: String, _ path: String, _ content: String = "{}"
        ) throws -> Value {
            let (status, bytes) = try ask(method, path, content)
            try #require(status == 200 || status == 202, "\(String(decoding: bytes, as: UTF8.self))")
            return try JSONDecoder().decode(type, from: Data(bytes))
        }

        func recording(_ name: String) throws -> Listing.Recording? {
            try value(Listing.self, "GET", "recordings").recordings.first { $0.name == name }
        }
    }

    private static func record(_ place: TestPlace, to path: String) throws {
        let ended = try place.run(
            ["record", place.path(path), "--pattern", "320x240", "--duration", "2", "--keyframe-interval", "1"])
        try #require(ended.status == 0, "\(ended)")
    }

    @Test func `a recording is listed, shown, played, cut, replaced, deleted and restored`() throws {
        try RunningStudio.with { studio in
            try studio.place.makeDirectory("Kinecast")
            try Self.record(studio.place, to: "Kinecast/a.mp4")
            let session = try Session(studio)
            let recording = try #require(try session.recording("a.mp4"))
            let path = "recordings/\(recording.id)"
            #expect(recording.state == "finished" && (2..<2.1).contains(recording.duration ?? 0))
            #expect(try session.ask("GET", "\(path)/poster").content.starts(with: [0xff, 0xd8]))
            #expect(try session.ask("POST", "\(path)/frame", #"{"time":1}"#).content.starts(with: [0x89, 0x50]))
            try showsImagesAndAudio(session, path)
            try plays(session, path, studio.place.path("Kinecast/a.mp4"))
            struct Job: Decodable { var job: String }
            _ = try session.value(Job.self, "POST", "\(path)/trim", #"{"from":0.5,"to":1.5,"name":"part"}"#)
            try wait("the excerpt") { try session.recording("part.mp4")?.duration == 1 }
            _ = try session.value(Job.self, "POST", "\(path)/trim", #"{"from":0.5,"to":1,"replaces":true}"#)
            try wait("the shorter recording") { try session.recording("a.mp4")?.duration == 0.5 }
            struct Undo: Decodable { var undo: String }
            let undo = try session.value(Undo.self, "POST", "\(path)/delete").undo
            #expect(try session.recording("a.mp4") == nil)
            _ = try session.value(Listing.Recording.self, "POST", "recordings/undo", #"{"undo":"\#(undo)"}"#)
            let names = Set(PrivateDirectory.entries(FilePath(studio.place.path("Kinecast"))))
            #expect(names == ["a.mp4", "part.mp4"])
            let file = studio.place.path("Kinecast/part.mp4")
            let second = try studio.place.run(["studio", "--no-browser", file], studio.environment)
            let part = try #require(try session.recording("part.mp4"))
            let link = try #require(LiveLink(second.output.filter { !$0.isNewline }))
            let own = try Session(studio, with: link)
            #expect(try own.recording("part.mp4")?.id == part.id && own.recording("a.mp4") == nil)
            for other in ["\(path)/strip", "takes", "sources", "services"] {
                #expect(try own.ask("GET", other).status == 403, "\(other)")
            }
            #expect(try own.ask("POST", "\(path)/delete").status == 403)
            _ = try own.value(Job.self, "POST", "recordings/\(part.id)/trim", #"{"from":0,"to":0.5,"name":"made"}"#)
            try wait("what it made") { try own.recording("made.mp4") != nil }
            _ = try own.value(Listing.Recording.self, "POST", "recordings/\(part.id)/rename", #"{"name":"renamed"}"#)
            #expect(try own.recording("renamed.mp4") != nil && own.recording("a.mp4") == nil)
            try studio.place.write("hello", to: "foreign.mp4")
            for (file, words) in [("foreign.mp4", "did not record this file"), ("missing.mp4", "no such file")] {
                let refused = try studio.place.run(["studio", "--no-browser", file], studio.environment)
                #expect(refused.status == ExitStatus.usage && refused.errors.contains(words), "\(refused)")
            }
        }
    }

    @Test func `a video of another program is opened by the desktop, and so is its directory without a file manager`()
        throws
    {
        try TestPlace.with { place in
            try place.makeDirectory("Kinecast")
            try place.write("video", to: "Kinecast/a.webm")
            let studio = try Self.studioWithOpener(place)
            let session = try Session(studio)
            let video = try #require(try session.recording("a.webm"))
            #expect(video.state == "foreign" && video.duration == nil)
            for (verb, content, opened) in [
                ("share", #"{"activity":"open"}"#, "Kinecast/a.webm"), ("reveal", "{}", "Kinecast"),
            ] {
                let (status, bytes) = try session.ask("POST", "recordings/\(video.id)/\(verb)", content)
                #expect(status < 300, "\(String(decoding: bytes, as: UTF8.self))")
                try wait(opened) {
                    PrivateDirectory.contents(of: FilePath(place.path("opened")), limit: 4096)
                        == Array(place.path(opened).utf8)
                }
            }
            for (verb, content) in [("trim", #"{"from":0,"to":1,"name":"b"}"#), ("frame", #"{"time":0}"#)] {
                #expect(try session.ask("POST", "recordings/\(video.id)/\(verb)", content).status == 409, "\(verb)")
            }
            try studio.end()
        }
    }

    /// A studio whose desktop opens files by noting their paths in the file `opened`.
    private static func studioWithOpener(_ place: TestPlace) throws -> RunningStudio {
        try place.makeDirectory("bin")
        try place.write(
            "#!/bin/sh\nprintf %s \"$1\" >\"$HOME/opened.new\" && mv \"$HOME/opened.new\" \"$HOME/opened\"\n",
            to: "bin/xdg-open", permissions: .ownerReadWriteExecute)
        let path = ProcessEnvironment.value("PATH") ?? "/usr/bin:/bin"
        return try RunningStudio(place, ["PATH=\(place.path("bin")):\(path)"])
    }

    @Test func `a recording is shared with its input track or without, as the person wants`() throws {
        try TestPlace.with { place in
            try place.makeDirectory("Kinecast")
            let screen = try PrivateScreen(size: PixelSize(width: 320, height: 240))
            let path = place.path("Kinecast/a.mp4")
            let take = try place.record(screen.name, path, "--duration", "0.5")
            #expect(try take.wait().status == 0)
            let studio = try Self.studioWithOpener(place)
            let session = try Session(studio)
            let recording = try #require(try session.recording("a.mp4"))
            #expect(recording.hasInput == true)
            func shared(_ content: String) throws -> String {
                unlink(place.path("opened"))
                let (status, bytes) = try session.ask("POST", "recordings/\(recording.id)/share", content)
                #expect(status == 202, "\(String(decoding: bytes, as: UTF8.self))")
                try wait("the file to be opened") { access(place.path("opened"), F_OK) == 0 }
                return String(
                    decoding: PrivateDirectory.contents(of: FilePath(place.path("opened")), limit: 4096) ?? [],
                    as: UTF8.self)
            }
            #expect(try shared(#"{"activity":"open"}"#) == path)
            let copy = try shared(#"{"activity":"open","withoutInput":true}"#)
            #expect(copy != path && copy.hasSuffix("/a.mp4"))
            #expect(try RecordedInput(path) != nil)
            #expect(try RecordedInput(copy) == nil)
            #expect(try RecordedVideo(path: copy).frames.count == RecordedVideo(path: path).frames.count)
            try studio.end()
        }
    }

    private func showsImagesAndAudio(_ session: Session, _ path: String) throws {
        struct Strip: Decodable {
            struct Image: Decodable { var time: Double }
            var images: [Image]
        }
        let times = try session.value(Strip.self, "GET", "\(path)/strip").images.map(\.time)
        // A busy machine draws fewer pictures of the pattern; the nearest one stands for several places then.
        #expect(times.count == 20 && times == times.sorted() && Set(times).count > 1, "\(times)")
        struct Waveform: Decodable {
            var peaks: [Int]
            var hasAudio: Bool
        }
        let waveform = try session.value(Waveform.self, "GET", "\(path)/waveform")
        // The pattern beeps once a second, and is silent in between.
        #expect(waveform.hasAudio && waveform.peaks.count > 50 && waveform.peaks.max() ?? 0 > 20)
        #expect(waveform.peaks.count { $0 < 5 } > waveform.peaks.count / 2, "\(waveform.peaks)")
    }

    private func plays(_ session: Session, _ path: String, _ file: String) throws {
        struct Opened: Decodable { var address: String }
        let address = try session.value(Opened.self, "POST", "\(path)/open").address.dropFirst("api/".count)
        let bytes = try Tool.contents(of: file)
        #expect(try session.ask("GET", "\(address)").content == bytes)
        let part = try session.ask("GET", "\(address)", "", ["Range: bytes=100-199"])
        #expect(part.status == 206 && part.content == Array(bytes[100..<200]))
        // A video element sends the cookie alone.
        let (status, _) = try HTTPExchange.ask(
            port: session.studio.port, method: "GET", path: "/api/\(address)", content: [],
            headers: [session.headers[0]], deadline: MonotonicClock.now() + 60_000_000_000)
        #expect(status == 200)
        try Tool.write(bytes + [0], to: file, permissions: .ownerReadWrite)
        #expect(try session.ask("GET", "\(address)").status == 410)
        try Tool.write(bytes, to: file, permissions: .ownerReadWrite)
    }
}
