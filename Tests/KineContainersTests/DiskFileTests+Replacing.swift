// What a file replaces, which stays until the new one can take its place.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage
import Testing

@testable import KineContainers

extension DiskFileTests {
    @Test func `the older file stays until the first fragment of the new one is durable`() throws {
        let path = directory("take.mp4")
        try write([1, 2, 3], to: path)
        let file = try DiskFile.create(path, ifTaken: .replace)
        let writer = try MP4Writer(file)
        try writer.flush(through: .milliseconds(100))
        try writer.checkName()
        #expect(try contents(of: path) == [1, 2, 3])
        #expect(try entries == ["take.mp4"])
        writer.append(take.samples[0][0])
        try writer.flush(through: .milliseconds(500))
        #expect(try contents(of: path).starts(with: RecordingLayout.fileType(.h264)))
        #expect(try entries == ["take.mp4"])
        // A process that is killed now leaves a recording.
        #expect(try MP4Recovery.recover(MemoryFile(contents(of: path))).frames == 1)
    }

    @Test func `a writer that is killed before the first fragment leaves the older file and nothing else`() throws {
        let path = directory("take.mp4")
        try write([1, 2, 3], to: path)
        do {
            let file = try DiskFile.create(path, ifTaken: .replace)
            let writer = try MP4Writer(file)
            writer.append(take.samples[0][0])
        }
        #expect(try contents(of: path) == [1, 2, 3])
        #expect(try entries == ["take.mp4"])
    }

    @Test func `a disk that is full before the first fragment keeps the older file`() throws {
        let path = directory("take.mp4")
        try write([1, 2, 3], to: path)
        let disk = try DiskFile.create(path, ifTaken: .replace)
        let file = LimitedFile(disk, limit: 80 << 10)  // enough for the header and its reserve
        file.firstFailing = 100  // the header can be written, and no fragment
        let finished = try #require(try take.write(to: file))
        #expect(finished.frames == 0 && finished.failure == .full(path: path))
        disk.discard()
        #expect(try contents(of: path) == [1, 2, 3])
        #expect(try entries == ["take.mp4"])
    }

    @Test func `a directory that goes before an overwriting file has its name is made again`() throws {
        let path = directory("gone/take.mp4")
        _ = try run("mkdir", [directory("gone")])
        try write([1, 2, 3], to: path)
        let writer = try MP4Writer(try DiskFile.create(path, ifTaken: .replace, fallbackDirectories: []))
        _ = try run("rm", ["-r", directory("gone")])
        writer.append(take.samples[0][0])
        #expect(throws: StorageError.self) { try writer.flush(through: .milliseconds(500)) }
        let finished = try writer.finish(at: .milliseconds(900))
        #expect(finished.path == path && finished.frames == 1 && finished.failure != nil)
        #expect(try OracleMovie(contents(of: path)).tracks[0].samples.count == 1)
    }

    @Test func `a take that never began leaves the older file and nothing else`() throws {
        let path = directory("take.mp4")
        try write([1, 2, 3], to: path)
        try DiskFile.create(path, ifTaken: .replace).discard()
        #expect(try contents(of: path) == [1, 2, 3])
        #expect(try entries == ["take.mp4"])
    }

    /// Records one frame to `path`, over what is there.
    private func overwrite(_ path: String) throws -> FinishedFile {
        let file = try DiskFile.create(path, ifTaken: .replace, fallbackDirectories: [])
        let writer = try MP4Writer(file)
        writer.append(take.samples[0][0])
        return try writer.finish(at: .milliseconds(500))
    }

    @Test(arguments: [false, true]) func `a file with the longest name there is, is replaced`(hasUnnamedFiles: Bool)
        throws
    {
        let path = directory(String(repeating: "n", count: 251) + ".mp4")
        try write([1, 2, 3], to: path)
        let file = try DiskFile.createReplacement(for: path, unnamed: hasUnnamedFiles)
        try file.write([4], at: 0)
        #expect(try contents(of: path) == [1, 2, 3])
        try file.publish()
        #expect(try contents(of: path) == [4] && entries.count == 1)
        // One that is removed meanwhile is put back under a name that fits.
        #expect(unlink(path) == 0)
        try write([7], to: path)
        try file.putBack()
        #expect(try contents(of: file.path) == [4] && contents(of: path) == [7])
    }

    @Test func `a link stays, and leads to the new file`() throws {
        let names = ["direct", "second", "dangling", "loop", "other"].map { directory($0) }
        try write([1, 2, 3], to: directory("take.mp4"))
        #expect(link(directory("take.mp4"), names[4]) == 0)
        for (name, target) in zip(names, ["take.mp4", directory("direct"), "new.mp4", "loop"]) {
            #expect(symlink(target, name) == 0)
        }
        for (name, target) in zip(names, ["take.mp4", "take.mp4", "new.mp4"]) {
            #expect(try overwrite(name).path == directory(target))
            #expect(try OracleMovie(contents(of: name)).tracks[0].samples.count == 1)
            var status = stat()
            #expect(lstat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        }
        #expect(throws: StorageError.cannotCreate(path: names[3], code: ELOOP)) { try overwrite(names[3]) }
        // Another name of the older file still means that one.
        #expect(try contents(of: names[4]) == [1, 2, 3])
    }

    @Test func `a name that becomes a directory's keeps it, and the recording has another`() throws {
        let path = directory("take.mp4")
        try write([1, 2, 3], to: path)
        let file = try DiskFile.create(path, ifTaken: .replace, fallbackDirectories: [])
        let writer = try MP4Writer(file)
        #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        writer.append(take.samples[0][0])
        let finished = try writer.finish(at: .milliseconds(500))
        #expect(finished.failure == .cannotReplace(path: path, code: EISDIR))
        #expect(finished.path == directory("take-kept-\(getpid()).mp4") && finished.frames == 1)
        #expect(try Set(entries) == ["take.mp4", "take-kept-\(getpid()).mp4"])
    }

    @Test func `only an ordinary file is replaced`() throws {
        #expect(throws: StorageError.notARegularFile(path: directory.path)) {
            try DiskFile.create(directory.path, ifTaken: .replace)
        }
        let pipe = directory("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: StorageError.notARegularFile(path: pipe)) { try DiskFile.create(pipe, ifTaken: .replace) }
        #expect(throws: StorageError.notARegularFile(path: pipe)) { try DiskFile.open(pipe) }
    }
}
