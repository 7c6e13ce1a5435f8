// The studio's library on made-up recordings: their states, names, bytes, deletion and work.
import CoreTesting
import Glibc
import KineClient
import KineContainers
import KineMeasure
import KineMedia
import KinePlatform
import KineWire
import Kinecast
import ProcessTesting
import Synchronization
import SystemPackage
import Testing

@testable import KineStudio

/// A home with recordings of an H.264 stream that no decoder gets to see.
private struct Home {
    let directory: TemporaryDirectory
    let library: Library

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["Videos", "apps", "apps/org.example.App"] { mkdir(directory.file(name), 0o700) }
        library = Library(
            Library.Places(
                videos: directory.file("Videos"), apps: directory.file("apps"), trash: Trash(directory.file("Trash"))))
    }

    /// Records half a second and more, and returns the path.
    @discardableResult
    func record(
        _ name: String, seconds: Double = 2, rate: Int = 10, chapters: [Chapter] = [], isFinished: Bool = true
    ) throws -> String {
        let path = directory.file(name)
        let sets = H264ParameterSets(sequence: [0x67, 0x64, 0, 0x28, 0xac], picture: [0x68, 0xee, 0x3c, 0x80])
        let writer = try MP4Writer(
            file: try DiskFile.create(path),
            video: VideoFormat(parameterSets: .h264(sets), size: PixelSize(width: 640, height: 360)), audio: [],
            creationTime: 1_700_000_000)
        for frame in 0..<Int(seconds * Double(rate)) {
            writer.append(
                EncodedSample(
                    type: .video, presentationTime: .milliseconds(Int64(frame * 1000 / rate)), duration: .zero,
                    isKeyframe: frame % 10 == 0, data: [0, 0, 0, 2, frame % 10 == 0 ? 0x65 : 0x41, 0x88]))
        }
        for chapter in chapters { writer.mark(chapter) }
        try writer.flush(through: .seconds(seconds))
        if isFinished { _ = try writer.finish(at: .seconds(seconds)) }
        return path
    }

    func model(_ name: String) throws -> RecordingModel {
        try #require(library.listing().recordings.first { $0.name == name }, "\(name)")
    }

    func id(_ name: String) throws -> String { try model(name).id }

    var names: Set<String> { Set(PrivateDirectory.entries(FilePath(directory.file("Videos")))) }
}

/// The error that a body throws.
private func problem(_ body: () async throws -> Void) async throws -> StudioProblem {
    do { try await body() } catch { return StudioProblem(error) }
    throw WaitedInVain(description: "it was not refused")
}

@Suite struct LibraryTests {
    @Test func `a recording is finished, being made, to be recovered, or unreadable with a reason`() throws {
        let home = try Home()
        try home.record("Videos/finished.mp4")
        try home.record("apps/org.example.App/unsaved.MP4")
        try home.record("Videos/left.mp4", isFinished: false)
        let made = try home.record("Videos/made.mp4", isFinished: false)
        try home.directory.write(Array("hello".utf8), to: "Videos/foreign.mp4")
        try home.directory.write([], to: "Videos/empty.mp4")
        for name in ["Videos/.hidden.mp4", "Videos/notes.txt"] { try home.directory.write([], to: name) }
        symlink(made, home.directory.file("Videos/link.mp4"))
        #expect(home.library.setWritten([made]))
        #expect(!home.library.setWritten([made]), "nothing has changed")
        #expect(home.library.listing().recordings.count == 6)
        let finished = try home.model("finished.mp4")
        #expect(finished.state == .finished && finished.duration == 2 && finished.hasAudio == false)
        #expect(finished.width == 640 && finished.height == 360 && finished.place == .videos && finished.app == nil)
        let unsaved = try home.model("unsaved.MP4")
        #expect(unsaved.place == .app && unsaved.app == "org.example.App" && unsaved.state == .finished)
        #expect(try home.model("left.mp4").state == .recoverable)
        #expect(try home.model("made.mp4").state == .recording)
        #expect(try home.model("foreign.mp4").state == .foreign && home.model("foreign.mp4").problem == nil)
        #expect(try home.model("empty.mp4").problem?.contains("before its first frame") == true)
        #expect(home.library.setWritten([]))
        #expect(try home.model("made.mp4").state == .recoverable)
    }

    @Test func `a video of another program is opened, renamed and deleted, and neither cut nor read`() async throws {
        let home = try Home()
        for name in ["a.webm", "b.MKV", "c.avi", "d.mov", ".e.webm", "f.txt"] {
            try home.directory.write(Array("video".utf8), to: "Videos/\(name)")
        }
        try home.directory.write([], to: "apps/org.example.App/g.webm")
        // Without an engine.
        let library = Library(home.library.places, RecordingEditor(EngineLocator(named: home.directory.file("none"))))
        let listed = library.listing().recordings
        #expect(Set(listed.map(\.name)) == ["a.webm", "b.MKV", "c.avi", "d.mov"])
        #expect(listed.allSatisfy { $0.state == .foreign && $0.duration == nil && $0.problem == nil })
        let id = try #require(listed.first { $0.name == "a.webm" }?.id)
        let token = try await library.open(id).description
        #expect(try library.mediaFile(token).type == "video/webm")
        let jobs = Jobs { _ in }
        let requests: [() async throws -> Void] = [
            { _ = try await library.trim(id, Excerpt(from: 0, to: 1, name: "x"), jobs) {} },
            { _ = try await library.frame(id, at: 0) }, { _ = try await library.step(id, from: 0, by: 1) },
            { _ = try await library.strip(id) }, { _ = try await library.waveform(id) },
        ]
        for request in requests { #expect(try await problem(request) == .foreign) }
        #expect(try await library.poster(id) == nil)
        let renamed = try await library.rename(id, to: "talk.mp4")
        #expect(renamed.name == "talk.mp4.webm" && renamed.state == .foreign)
        let last = try await library.rename(renamed.id, to: "talk.WebM")
        #expect(try library.mediaFile(token).size == 5, "a player goes on")
        let deleted = try await library.delete(last.id)
        #expect(try await library.restore(deleted).name == "talk.WebM")
        #expect(home.names == ["talk.WebM", "b.MKV", "c.avi", "d.mov", ".e.webm", "f.txt"])
    }

    @Test func `a recording is listed with its chapters, and with its path if that survives a copy`() throws {
        let home = try Home()
        let chapters = [(0.5, "One"), (1, "b\u{202e}")].map { Chapter(start: .seconds($0), title: $1) }
        let path = try home.record("Videos/a.mp4", chapters: chapters)
        try home.record("Videos/b\u{1b}.mp4")
        let model = try home.model("a.mp4")
        #expect(model.chapters?.map(\.start) == [0, 0.5, 1] && model.chapters?.map(\.title) == ["Start", "One", "b "])
        #expect(model.path == FilePath(path).resolved?.string)
        #expect(try home.model("b .mp4").chapters == nil && home.model("b .mp4").path == nil)
    }

    @Test func `a player follows a file that another program renames, and loses one that leaves the library`()
        async throws
    {
        let home = try Home()
        let path = try home.record("Videos/a.mp4")
        let before = try home.model("a.mp4")
        let token = try await home.library.open(before.id).description
        rename(path, home.directory.file("Videos/b.mp4"))
        #expect(try home.library.mediaFile(token).size == before.bytes)
        let after = try home.model("b.mp4")
        #expect(after.version == before.version && after.id != before.id, "by which a page knows it again")
        rename(home.directory.file("Videos/b.mp4"), home.directory.file("c.mp4"))
        #expect(throws: MediaFile.changed) { try home.library.mediaFile(token) }
        rename(home.directory.file("c.mp4"), home.directory.file("Videos/d.mp4"))
        #expect(try home.library.mediaFile(token).size == before.bytes)
        // Another file with its name.
        unlink(home.directory.file("Videos/d.mp4"))
        try home.record("Videos/d.mp4", seconds: 1)
        #expect(throws: MediaFile.changed) { try home.library.mediaFile(token) }
    }

    @Test func `without an engine no file is read, and with one they are`() throws {
        let home = try Home()
        try home.record("Videos/a.mp4")
        let engine = home.directory.file("engine")
        let library = Library(home.library.places, RecordingEditor(EngineLocator(named: engine)))
        let model = try #require(library.listing().recordings.first)
        #expect(model.state == .unreadable && model.problem?.contains(engine) == true, "\(model)")
        symlink(RunningKinecast.sibling("kinecast-engine"), engine)
        #expect(library.listing().recordings.map(\.state) == [.finished])
    }

    @Test func `a given file is listed, and has the same ID in each server`() throws {
        let home = try Home()
        let path = try home.record("talk.mp4")
        let id = LibraryFile.id(of: home.library.give(path))
        let listing = home.library.listing()
        #expect(listing.given == id && listing.recordings.map(\.place) == [.given])
        #expect(LibraryFile.id(of: Library(home.library.places).give(path)) == id)
        unlink(path)
        #expect(home.library.listing().given == nil)
    }

    @Test func `a file that a take has made is listed, wherever it is`() throws {
        let home = try Home()
        let elsewhere = try home.record("elsewhere.mp4")
        let inside = try home.record("Videos/inside.mp4")
        #expect(home.library.add(elsewhere) == (try home.id("elsewhere.mp4")))
        #expect(home.library.add(inside) == (try home.id("inside.mp4")))
        #expect(try home.model("inside.mp4").place == .videos && home.library.listing().recordings.count == 2)
        #expect(home.library.listing().given == (try home.id("elsewhere.mp4")))
    }

    @Test func `a change of a file changes its version, and its content is read again`() throws {
        let home = try Home()
        let path = try home.record("Videos/a.mp4", isFinished: false)
        let before = try home.model("a.mp4")
        #expect(try MP4Recovery.recover(path).frames == 20)
        let after = try home.model("a.mp4")
        #expect(after.state == .finished && after.version != before.version && after.id == before.id)
    }

    @Test func `a name is one component, visible, and not too long`() async throws {
        #expect(try Library.fileName("Talk") == "Talk.mp4")
        #expect(try Library.fileName("Talk.MP4") == "Talk.MP4")
        #expect(try Library.fileName("会议 1.5") == "会议 1.5.mp4")
        #expect(try Library.fileName("\u{378}") == "\u{378}.mp4", "it could be an emoji of a later Unicode")
        #expect(try Library.fileName(String(repeating: "a", count: 251)).utf8.count == 255)
        #expect(try Library.fileName("a", ending: ".webm") == "a.webm")
        for (rule, names) in [
            ("at least one character", ["", ".mp4"]), ("begins with a dot", ["..", "../a", ".a", ".\u{301}a"]),
            ("has no slash", ["a/b", "/etc/passwd", "a/\u{301}b"]),
            ("no invisible characters", ["a\u{0}b", "a\nb", "a\u{202e}4pm", "a\u{9b}b"]),
            ("shorten it by 1 character.", [String(repeating: "a", count: 252)]),
            ("shorten it by 4 characters.", [String(repeating: "议", count: 85)]),
        ] {
            for name in names {
                let problem = try await problem { _ = try Library.fileName(name) }
                #expect(problem.status == .badRequest && problem.message.contains(rule), "\(name): \(problem)")
            }
        }
    }

    @Test func `the list shows a name without what turns text around or controls a terminal`() throws {
        let home = try Home()
        try home.record("Videos/a\u{202e}gpj.exe\u{1b}[1m.mp4")
        #expect(try home.model("a gpj.exe [1m.mp4").state == .finished)
    }

    @Test func `a recording gets another name, and no other file loses its own`() async throws {
        let home = try Home()
        try home.record("Videos/a.mp4")
        try home.record("Videos/b.mp4")
        let id = try home.id("a.mp4")
        let taken = try await problem { _ = try await home.library.rename(id, to: "b") }
        #expect(taken.status == .conflict && taken.message.contains("exists already"))
        let renamed = try await home.library.rename(id, to: "c")
        #expect(renamed.name == "c.mp4" && renamed.state == .finished && home.names == ["b.mp4", "c.mp4"])
        let gone = try await problem { _ = try await home.library.rename(id, to: "d") }
        #expect(gone.status == .notFound)
        for other in ["", "..", "../Videos/b.mp4", renamed.id + "x"] {
            let unknown = try await problem { _ = try await home.library.delete(other) }
            #expect(unknown.status == .notFound, "\(other)")
        }
        #expect(home.names == ["b.mp4", "c.mp4"])
    }

    @Test func `an unsaved recording is saved once, among the others`() async throws {
        let home = try Home()
        try home.record("apps/org.example.App/x.mp4")
        let saved = try await home.library.save(try home.id("x.mp4"), as: "Talk")
        #expect(saved.place == .videos && saved.name == "Talk.mp4" && saved.app == nil && home.names == ["Talk.mp4"])
        let again = try await problem {
            _ = try await home.library.save(saved.id, as: "More")
        }
        #expect(again.status == .conflict)
    }

    @Test func `a deleted recording comes back once, and replaces nothing`() async throws {
        let home = try Home()
        try home.record("Videos/a.mp4")
        let id = try home.id("a.mp4")
        let token = try await home.library.delete(id)
        #expect(home.names.isEmpty)
        #expect(PrivateDirectory.entries(FilePath(home.directory.file("Trash/files"))) == ["a.mp4"])
        try home.directory.write([1], to: "Videos/a.mp4")
        let taken = try await problem { _ = try await home.library.restore(token) }
        #expect(taken.status == .conflict && taken.message.contains("exists already"))
        unlink(home.directory.file("Videos/a.mp4"))
        #expect(try await home.library.restore(token).id == id)
        #expect(home.names == ["a.mp4"])
        #expect(PrivateDirectory.entries(FilePath(home.directory.file("Trash/info"))).isEmpty)
        let again = try await problem { _ = try await home.library.restore(token) }
        #expect(again.status == .notFound)
    }

    @Test func `a recording that is being made is neither opened nor moved`() async throws {
        let home = try Home()
        let path = try home.record("Videos/a.mp4", isFinished: false)
        _ = home.library.setWritten([path])
        let id = try home.id("a.mp4")
        let requests: [() async throws -> Void] = [
            { _ = try await home.library.open(id) },
            { _ = try await home.library.delete(id) },
            { _ = try await home.library.rename(id, to: "b") },
            { _ = try await home.library.recover(id) },
        ]
        for request in requests { #expect(try await problem(request) == .beingRecorded) }
        _ = home.library.setWritten([])
        #expect(try await problem(requests[0]) == .unreadable)
    }

    @Test func `frames are stepped through, from the first to the last`() async throws {
        let home = try Home()
        try home.record("Videos/a.mp4")
        let id = try home.id("a.mp4")
        for (time, frames, wanted) in [(0, 1, 0.1), (0.55, 0, 0.5), (0.55, -2, 0.3), (1, -99, 0), (1, 99, 1.9)] {
            #expect(abs(try await home.library.step(id, from: time, by: frames) - wanted) < 1e-4, "\(time) \(frames)")
        }
        // A picture that stands still is cut at tenths of a second.
        try home.record("Videos/still.mp4", rate: 1)
        let still = try home.id("still.mp4")
        for (time, frames, wanted) in [(0.55, 0, 0.5), (1.37, 0, 1.3), (2, 0, 1.9), (0.55, 1, 1), (1.37, -1, 0)] {
            let found = try await home.library.step(still, from: time, by: frames)
            #expect(abs(found - wanted) < 1e-4, "\(time) \(frames)")
        }
        // More frames than an engine tells of at once.
        try home.record("Videos/long.mp4", seconds: 100)
        let long = try home.id("long.mp4")
        let steps: [(Double, Int, Double)] = [
            (10, 700, 80), (80, 1, 80.1), (80, -799, 0.1), (50, 0, 50), (99, .max, 99.9),
        ]
        for (time, frames, wanted) in steps {
            let found = try await home.library.step(long, from: time, by: frames)
            #expect(abs(found - wanted) < 1e-4, "\(time) \(frames)")
        }
        for time in [-1, 3, 1e300] {
            let problem = try await problem {
                _ = try await home.library.step(id, from: time, by: 0)
            }
            #expect(problem.status == .conflict, "\(time)")
        }
    }

    @Test func `an excerpt is refused where it cannot be, before any work`() async throws {
        let home = try Home()
        try home.record("Videos/a.mp4")
        let id = try home.id("a.mp4")
        let jobs = Jobs { _ in }
        for (excerpt, status) in [
            (Excerpt(from: 1, to: 1, name: "b"), 400), (Excerpt(from: 1, to: 5, name: "b"), 409),
            (Excerpt(from: 0, to: 1), 400), (Excerpt(from: 0, to: 1, name: "../b"), 400),
            (Excerpt(from: 0, to: 1, name: "a"), 409),
        ] {
            let problem = try await problem {
                _ = try await home.library.trim(id, excerpt, jobs) {}
            }
            #expect(problem.status.code == status, "\(excerpt)")
        }
        for address in [nil, "", "file:///etc/passwd", "ftp://example.org/a", "https://", "http://127.0.0.1:8000/a"] {
            #expect(throws: RecordingError.self) { try UsualActivity.upload.make(to: address) }
        }
        #expect(jobs.count == 0)
    }
}

@Suite struct MediaFileTests {
    @Test(
        arguments: [
            (nil, .whole), ("items=0-1", .whole), ("bytes=0-9", .part(0..<10)), ("bytes=90-", .part(90..<100)),
            ("bytes=-7", .part(93..<100)), ("bytes=-700", .part(0..<100)), ("bytes=0-99999", .part(0..<100)),
            ("Bytes=99-99", .part(99..<100)), ("bytes=0-99999999999999999999", .part(0..<100)),
            ("bytes=100-", .unsatisfiable), ("bytes=5-2", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=0-1,4-5", .unsatisfiable), ("bytes=", .unsatisfiable), ("bytes=-", .unsatisfiable),
            ("bytes=a-b", .unsatisfiable), ("bytes=--1", .unsatisfiable), ("bytes=1--2", .unsatisfiable),
        ] as [(String?, MediaRange)])
    func `a range is within the file, or refused`(header: String?, range: MediaRange) {
        #expect(MediaRange(header, size: 100) == range)
    }

    private static func open(_ path: String, _ tokens: Tokens<OpenedRecording>) throws -> String {
        tokens.add(OpenedRecording(path: path, version: try #require(FileVersion(of: path)))).description
    }

    @Test(arguments: ["grown", "replaced", "deleted", "linked"])
    func `a file that has changed gives no byte any more`(change: String) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Array("recording".utf8), to: "a.mp4")
        let tokens = Tokens<OpenedRecording>(most: 64)
        let token = try Self.open(path, tokens)
        let file = try tokens.file(token)
        #expect(try file.read(2..<5) == Array("cor".utf8))
        switch change {
        case "grown": try Tool.write(Array("recordings".utf8), to: path, permissions: .ownerReadWrite)
        case "replaced":
            rename(try directory.write(Array("RECORDING".utf8), to: "b.mp4"), path)
        case "deleted": unlink(path)
        default:
            rename(path, directory.file("b.mp4"))
            symlink(directory.file("b.mp4"), path)
        }
        #expect(throws: MediaFile.changed) { _ = try tokens.file(token) }
        // A player that reads it already has the same file, unless that was written to or deleted.
        if change != "linked" { #expect(throws: MediaFile.changed) { _ = try file.read(0..<5) } }
    }

    @Test func `a token is found among many, follows another name, and the oldest goes`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write([1, 2, 3], to: "a.mp4")
        let tokens = Tokens<OpenedRecording>(most: 64)
        let token = try Self.open(path, tokens)
        rename(path, directory.file("b.mp4"))
        tokens.rename(path, to: directory.file("b.mp4"))
        #expect(try tokens.file(token).size == 3)
        for other in ["", "x", String(repeating: "0", count: 32)] {
            #expect(throws: StudioProblem.gone) { _ = try tokens.file(other) }
        }
        for _ in 0..<64 { _ = try Self.open(directory.file("b.mp4"), tokens) }
        #expect(throws: StudioProblem.gone) { _ = try tokens.file(token) }
    }

    @Test func `ten gigabytes are read at any place, a piece at a time`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write([], to: "a.mp4")
        let size: Int64 = 10_000_000_000
        let descriptor = try FileDescriptor.open(path, .readWrite)
        try descriptor.resize(to: size)
        _ = try descriptor.writeAll(toAbsoluteOffset: size - 3, [7, 8, 9])
        try descriptor.close()
        let tokens = Tokens<OpenedRecording>(most: 64)
        let file = try tokens.file(try Self.open(path, tokens))
        #expect(MediaRange("bytes=-3", size: file.size) == .part(size - 3..<size))
        #expect(try file.read(size - 3..<size) == [7, 8, 9])
        #expect(try file.read(0..<size).count == MediaFile.pieceSize)
    }
}

@Suite struct JobsTests {
    /// Collects what a page gets.
    private final class Reports: Sendable {
        let all = Mutex<[JobProgress]>([])
        var states: [JobProgress.State] { all.withLock { $0.map(\.state) } }
    }

    @Test func `progress comes in steps, and then the result`() async throws {
        let reports = Reports()
        let jobs = Jobs { report in reports.all.withLock { $0.append(report) } }
        let id = try jobs.start(.trim, of: "a") { fraction in
            for part in 0...1000 { fraction(Double(part) / 1000) }
            return "b"
        }
        try await wait(for: "the end") { jobs.count == 0 && reports.states.last == .done }
        let all = reports.all.withLock { $0 }
        #expect(all.count == 1 + 51 + 1 && all.allSatisfy { $0.job == id && $0.id == "a" })
        #expect(all.dropFirst().dropLast().compactMap(\.fraction) == (0...50).map { Double($0) / 50 })
        #expect(all.last?.result == "b")
    }

    @Test func `a cancelled job is not a failed one, and only so many run`() async throws {
        let reports = Reports()
        let jobs = Jobs { report in reports.all.withLock { $0.append(report) } }
        var ids: [String] = []
        for _ in 0..<Jobs.most {
            ids.append(
                try jobs.start(.share, of: "a") { _ in
                    do { try await Task.sleep(for: .seconds(3600)) } catch { throw StudioProblem.cancelled }
                    return nil
                })
        }
        #expect(throws: StudioProblem.self) { try jobs.start(.share, of: "a") { _ in nil } }
        for id in ids { #expect(jobs.cancel(id)) }
        try await wait(for: "the ends") { jobs.count == 0 && reports.states.count { $0 == .cancelled } == Jobs.most }
        #expect(!jobs.cancel(ids[0]))
        _ = try jobs.start(.trim, of: "a") { _ in throw StudioProblem(.conflict, "No.") }
        try await wait(for: "the failure") { reports.states.last == .failed }
        #expect(reports.all.withLock { $0.last?.message } == "No.")
    }
}

@Suite struct LibraryWatchTests {
    @Test func `changes of recordings are noticed, also in a directory that appears`() throws {
        let home = try Home()
        let watch = DirectoryWatch(for: LibraryFile.endings) { home.library.watchedDirectories }
        watch.watch()
        var now: Int64 = 0
        func notices() -> Bool {
            now += 1_000_000_000
            return watch.process(at: now)
        }
        #expect(!notices())
        try home.directory.write([], to: "Videos/notes.txt")
        #expect(!notices())
        for name in ["a.mp4", "b.WebM"] {
            try home.directory.write([], to: "Videos/\(name)")
            #expect(notices() && !notices(), "\(name)")
        }
        mkdir(home.directory.file("apps/new"), 0o700)
        #expect(notices() && !notices())
        try home.directory.write([], to: "apps/new/b.mp4")
        #expect(notices())
        unlink(home.directory.file("apps/new/b.mp4"))
        #expect(!watch.process(at: now + 1), "too soon after the last report")
        #expect(watch.nextDeadline == now + 500_000_000 && watch.process(at: now + 500_000_000))
    }
}
