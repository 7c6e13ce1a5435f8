// Saving a finished recording, and throwing it away.
import FoundationEssentials
import Glibc
import KineClient
import KineMeasure
import KineMedia
import SystemPackage
import Testing

@testable import Kinecast

@Suite struct RecordingPreviewTests {
    private let folder: TemporaryDirectory
    private let store: RecordingStore

    init() throws {
        folder = try TemporaryDirectory()
        var store = RecordingStore(directory: URL(filePath: folder.file("recordings")))
        store.trash = Trash(folder.file("Trash"))
        self.store = store
    }

    /// An unsaved recording.
    private func preview(_ content: String = "film") throws -> RecordingPreview {
        let path = try folder.write(content.utf8, to: "a.mp4", permissions: .ownerReadWrite)
        return RecordingPreview(
            .unsaved(URL(filePath: path)), duration: .seconds(1), size: PixelSize(width: 2, height: 2), store: store)
    }

    /// A recording whose name the app chose.
    private func named() throws -> RecordingPreview {
        let path = try folder.write("film".utf8, to: "a.mp4")
        return RecordingPreview(.saved(URL(filePath: path)), duration: .seconds(1), size: nil, store: store)
    }

    private func save(_ preview: RecordingPreview, to name: String, replacing: Bool = false) async throws {
        try await preview.save(to: URL(filePath: folder.file(name)), replacing: replacing)
    }

    private var trashed: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.file("Trash/files"))) ?? []
    }

    private func content(_ path: String?) -> String? {
        path.flatMap { FileManager.default.contents(atPath: $0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `a saved file stays where it is, whatever the app does with its preview`() async throws {
        let memory = try TemporaryDirectory(in: "/dev/shm")
        for make in [{ try preview() }, { try named() }] {
            let preview = try make()
            try await save(preview, to: "b.mp4", replacing: true)
            try await save(preview, to: "c.mp4", replacing: true)
            try await preview.save(to: URL(filePath: memory.file("d.mp4")), replacing: true)
            try await preview.discard()
            #expect(content(folder.file("b.mp4")) == "film" && content(folder.file("c.mp4")) == "film")
            #expect(content(memory.file("d.mp4")) == "film" && preview.url?.path == memory.file("d.mp4"))
        }
        #expect(content(folder.file("a.mp4")) == "film" && trashed == [])
    }

    @Test func `a recording that was never saved is discarded into the trash, once`() async throws {
        let preview = try preview()
        try await preview.discard()
        #expect(preview.url == nil && content(folder.file("a.mp4")) == nil && trashed == ["a.mp4"])
        for call in [preview.discard, { try await save(preview, to: "b.mp4") }, { _ = try await preview.poster }] {
            let error = await #expect(throws: RecordingError.self) { try await call() }
            #expect(error?.code == .discarded)
        }
    }

    @Test func `of two previews of one recording the second harms nothing that the first has saved`() async throws {
        let (first, second) = (try preview(), try preview())
        try await save(first, to: "b.mp4")
        for call in [second.discard, { try await save(second, to: "b.mp4", replacing: true) }] {
            let error = await #expect(throws: RecordingError.self) { try await call() }
            #expect(error?.code == .failedToSave && error?.message.contains(folder.file("a.mp4")) == true)
        }
        #expect(content(folder.file("b.mp4")) == "film" && trashed == [])
    }

    @Test func `a recording that is saved onto itself is there, under each of its names`() async throws {
        let preview = try preview()
        try await save(preview, to: "b.mp4")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.mp4"), withDestinationPath: folder.file("b.mp4"))
        for name in ["b.mp4", "link.mp4", "b.mp4"] {
            try await save(preview, to: name)
            try await save(preview, to: name, replacing: true)
        }
        #expect(content(folder.file("b.mp4")) == "film" && content(folder.file("link.mp4")) == "film")
    }

    @Test func `the umask decides who may read what is saved, and only this user may read a copy`() async throws {
        let sample = folder.file("sample")
        try #require(FileManager.default.createFile(atPath: sample, contents: nil))
        let preview = try preview()
        try await save(preview, to: "moved.mp4")
        try await save(preview, to: "copied.mp4")
        for name in ["moved.mp4", "copied.mp4"] { #expect(try mode(folder.file(name)) == mode(sample)) }
        guard case .completed(_, let copy?) = try await preview.share(via: .copy(to: URL(filePath: folder.path))) else {
            Issue.record("no copy")
            return
        }
        #expect(try mode(copy.path) == 0o600)
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Errno(rawValue: errno) }
        return status.st_mode & 0o777
    }

    @Test func `it is copied to another file system`() async throws {
        let memory = try TemporaryDirectory(in: "/dev/shm")
        let preview = try preview()
        try await preview.save(to: URL(filePath: memory.file("b.mp4")))
        #expect(content(memory.file("b.mp4")) == "film")
        #expect(content(folder.file("a.mp4")) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: memory.path) == ["b.mp4"])
    }

    @Test(arguments: [false, true])
    func `a file that is there is kept unless it is to be replaced`(otherFileSystem: Bool) async throws {
        let target = try otherFileSystem ? TemporaryDirectory(in: "/dev/shm") : TemporaryDirectory()
        try target.write("older".utf8, to: "b.mp4")
        let preview = try preview()
        let error = await #expect(throws: RecordingError.self) {
            try await preview.save(to: URL(filePath: target.file("b.mp4")))
        }
        #expect(error?.code == .failedToSave)
        #expect(content(target.file("b.mp4")) == "older" && content(preview.url?.path) == "film")
        try await preview.save(to: URL(filePath: target.file("b.mp4")), replacing: true)
        #expect(content(target.file("b.mp4")) == "film")
    }

    @Test func `a place that cannot be written is an error, and the recording stays`() async throws {
        let preview = try preview()
        for place in [folder.file("nowhere/b.mp4"), "/proc/b.mp4"] {
            let error = await #expect(throws: RecordingError.self) { try await preview.save(to: URL(filePath: place)) }
            #expect(error?.code == .failedToSave)
            #expect(error?.message.contains(place) == true)
        }
        let web = try #require(URL(string: "https://example.org/b.mp4"))
        await #expect(throws: RecordingError.self) { try await preview.save(to: web) }
        #expect(content(preview.url?.path) == "film")
    }

    @Test func `a cut in the place of a private recording is private, and the recording knows its file`() async throws {
        let recording = try named()
        let file = try #require(recording.url).path
        try #require(chmod(file, 0o600) == 0 && symlink(file, folder.file("link.mp4")) == 0)
        #expect(try recording.isFile(at: folder.file("link.mp4")) && !recording.isFile(at: folder.file("b.mp4")))
        let cut = try folder.write("cut".utf8, to: "cut.mp4", permissions: .ownerReadWrite)
        try await recording.replace(
            with: RecordingPreview(.unsaved(URL(filePath: cut)), duration: .seconds(1), size: nil, store: store))
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(content(file) == "cut" && trashed == ["a.mp4"])
    }

    @Test func `what is discarded is in the trash, with where it was`() throws {
        let trash = Trash(folder.file("Trash"))
        for (count, name) in ["ü b.mp4", "ü b 2.mp4"].enumerated() {
            let path = try folder.write("film \(count)".utf8, to: "ü b.mp4")
            try trash.move(path, at: Date(timeIntervalSince1970: 0))
            #expect(content(folder.file("Trash/files/\(name)")) == "film \(count)")
            let information = try #require(content(folder.file("Trash/info/\(name).trashinfo")))
            let lines = information.split(separator: "\n")
            #expect(lines.first == "[Trash Info]" && lines.count == 3)
            #expect(lines[1] == "Path=\(folder.path)/%c3%bc%20b.mp4")
            #expect(lines[2].hasPrefix("DeletionDate=19"))
            #expect(content(path) == nil)
        }
    }

    @Test func `a file of another file system goes into the trash at its top, and back`() throws {
        var template = Array("/dev/shm/kinecast-XXXXXX".utf8CString)
        let other = try #require(mkdtemp(&template).map { String(cString: $0) })
        let top = "/dev/shm/.Trash-\(getuid())"
        let isNew = mkdir(top, 0o700) == 0
        let shared = "/dev/shm/.Trash"
        let isAlone = mkdir(shared, 0o700) == 0 && chmod(shared, 0o1777) == 0
        defer {
            rmdir(other)
            for name in isNew ? ["/files", "/info", ""] : [] { rmdir(top + name) }
            if isAlone {
                unlink(shared + "/\(getuid())")
                rmdir(shared)
            }
        }
        // In the shared trash there is no room for this user.
        if isAlone { close(open(shared + "/\(getuid())", O_CREAT | O_CLOEXEC, 0o600)) }
        let name = String(other.dropFirst("/dev/shm/".count)) + " ü.mp4"
        let path = "\(other)/\(name)"
        let descriptor = try FileDescriptor.open(path, .writeOnly, options: [.create], permissions: .ownerReadWrite)
        try descriptor.closeAfter { _ = try descriptor.writeAll("film".utf8) }
        let trash = Trash(folder.file("Trash"))
        let entry = try trash.move(path)
        #expect(content(path) == nil && content("\(top)/files/\(name)") == "film")
        let lines = content("\(top)/info/\(name).trashinfo")?.split(separator: "\n") ?? []
        let relative = name.replacing(" ü", with: "%20%c3%bc")
        #expect(lines.dropFirst().first == "Path=\(other.dropFirst("/dev/shm/".count))/\(relative)")
        try trash.restore(entry)
        #expect(content(path) == "film" && content("\(top)/info/\(name).trashinfo") == nil)
        unlink(path)
    }

    @Test func `a recording that cannot go to the trash stays`() throws {
        let path = try folder.write("film".utf8, to: "a.mp4")
        // A directory cannot be made below a file.
        #expect(throws: RecordingError.self) { try Trash(path + "/Trash").move(path) }
        #expect(content(path) == "film")
    }
}
