// The studio's library with real recordings: over HTTP as a page asks for it, and with an engine that fails.
import FoundationEssentials
import Glibc
import KineClient
import KineMeasure
import KinePlatform
import KineWire
import ProcessTesting
import ScreenTesting
import Synchronization
import SystemPackage
import Testing

@testable import KineStudio

@Suite(.tags(.real, .programs, .endurance)) struct StudioRecordingsTests {
    private struct Listing: Decodable {
        struct Recording: Decodable {
            var id: String
            var name: String
            var state: String
            var duration: Double?
        }

        var recordings: [Recording]
    }

    /// A page's session.
    private struct Session {
        let studio: RunningStudio
        let headers: [String]

        init(_ studio: RunningStudio) throws {
            (self.studio, headers) = (studio, try studio.openSession())
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
            #expect(second.output.contains("/?recording=\(part.id)#"), "\(second)")
            try studio.place.write("hello", to: "foreign.mp4")
            for (file, words) in [("foreign.mp4", "did not record this file"), ("missing.mp4", "no such file")] {
                let refused = try studio.place.run(["studio", "--no-browser", file], studio.environment)
                #expect(refused.status == ExitStatus.usage && refused.errors.contains(words), "\(refused)")
            }
        }
    }

    private func showsImagesAndAudio(_ session: Session, _ path: String) throws {
        struct Strip: Decodable {
            struct Image: Decodable { var time: Double }
            var images: [Image]
        }
        let times = try session.value(Strip.self, "GET", "\(path)/strip").images.map(\.time)
        #expect(times.count == 20 && times == times.sorted() && Set(times).count > 15, "\(times)")
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

    @Test func `an excerpt that a full disk ends, or a person, leaves no file and the recording as it was`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let home = try RecordedHome(directory)
        let reports = Mutex<[JobProgress]>([])
        let jobs = Jobs { report in reports.withLock { $0.append(report) } }
        let engine = RunningKinecast.sibling("kinecast-engine")
        for (script, state) in [
            ("ulimit -f 8; exec '\(engine)' \"$@\"", JobProgress.State.failed),
            (#"echo '{"progress":0.5}'; exec sleep 1000"#, .cancelled),
        ] {
            let library = try home.library(engine: "#!/bin/sh\n\(script)\n")
            let id = try #require(library.listing().recordings.first).id
            for replaces in [false, true] {
                let excerpt = Excerpt(from: 0.25, to: 1.75, name: "part", replaces: replaces)
                let job = try await library.trim(id, excerpt, jobs) {}
                if state == .cancelled {
                    try await wait(for: "progress") { reports.withLock { $0.last?.fraction } == 0.5 }
                    #expect(jobs.cancel(job))
                }
                try await wait(for: "the end") { jobs.count == 0 && reports.withLock { $0.last?.state } != .running }
                let end = try #require(reports.withLock { $0.last })
                #expect(end.state == state && end.job == job)
                if state == .failed { #expect(end.message?.contains("allows no larger file") == true, "\(end)") }
                #expect(PrivateDirectory.entries(FilePath(directory.file("Videos"))) == ["a.mp4"])
                #expect(try Tool.contents(of: directory.file("Videos/a.mp4")) == home.bytes)
            }
        }
    }

    /// A directory with one recording.
    private struct RecordedHome {
        let directory: TemporaryDirectory
        let bytes: [UInt8]

        init(_ directory: TemporaryDirectory) throws {
            self.directory = directory
            mkdir(directory.file("Videos"), 0o700)
            try TestPlace.with { place in
                try StudioRecordingsTests.record(place, to: "a.mp4")
                try Tool.write(
                    try Tool.contents(of: place.path("a.mp4")), to: directory.file("Videos/a.mp4"),
                    permissions: .ownerReadWrite)
            }
            bytes = try Tool.contents(of: directory.file("Videos/a.mp4"))
        }

        /// - Parameter engine: a script, which runs instead of the engine.
        func library(engine: String) throws -> Library {
            let path = directory.file("engine")
            try Tool.write(Array(engine.utf8), to: path, permissions: [.ownerReadWriteExecute])
            return Library(
                Library.Places(videos: directory.file("Videos"), apps: directory.file("apps")),
                RecordingEditor(EngineLocator(named: path)))
        }
    }
}
