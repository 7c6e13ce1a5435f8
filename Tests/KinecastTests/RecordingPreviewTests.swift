// Saving a finished recording, and throwing it away.
import FoundationEssentials
import KineClient
import KineMeasure
import KineMedia
import Testing

@testable import Kinecast

@Suite struct RecordingPreviewTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func preview(_ content: String = "film") throws -> RecordingPreview {
        let path = try folder.write(content.utf8, to: "a.mp4")
        return RecordingPreview(
            URL(filePath: path), duration: .seconds(1), size: PixelSize(width: 2, height: 2), editor: RecordingEditor())
    }

    private func content(_ path: String?) -> String? {
        path.flatMap { FileManager.default.contents(atPath: $0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `it is moved to where the app wants it`() async throws {
        let preview = try preview()
        try await preview.save(to: URL(filePath: folder.file("b.mp4")))
        #expect(preview.url?.path == folder.file("b.mp4"))
        #expect(content(folder.file("b.mp4")) == "film")
        #expect(content(folder.file("a.mp4")) == nil)
        // A second time is a move again.
        try await preview.save(to: URL(filePath: folder.file("c.mp4")))
        #expect(content(folder.file("c.mp4")) == "film")
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

    @Test func `what is discarded is in the trash, with where it was`() throws {
        let trash = Trash(folder.file("Trash"))
        for (count, name) in ["ü b.mp4", "ü b 2.mp4"].enumerated() {
            let path = try folder.write("film \(count)".utf8, to: "ü b.mp4")
            try trash.move(path, at: Date(timeIntervalSince1970: 0))
            #expect(content(folder.file("Trash/files/\(name)")) == "film \(count)")
            let information = try #require(content(folder.file("Trash/info/\(name).trashinfo")))
            let lines = information.split(separator: "\n")
            #expect(lines.first == "[Trash Info]" && lines.count == 3)
            #expect(lines[1] == "Path=\(folder.path)/%C3%BC%20b.mp4")
            #expect(lines[2].hasPrefix("DeletionDate=19"))
            #expect(content(path) == nil)
        }
    }

    @Test func `a recording that cannot go to the trash stays`() throws {
        let path = try folder.write("film".utf8, to: "a.mp4")
        #expect(throws: RecordingError.self) { try Trash("/proc/Trash").move(path) }
        #expect(content(path) == "film")
    }
}
