// The file layer on a real file system.
import CLinux
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage
import Testing

@testable import KineContainers

@Suite struct DiskFileTests {
    let directory: TemporaryDirectory
    let take = SyntheticTake(seed: 2, seconds: 5, audio: [SyntheticTake.audio(.audioApp)])

    init() throws { directory = try TemporaryDirectory() }

    var entries: [String] {
        get throws {
            try run("ls", ["-A", directory.path]).output.split(separator: "\n").map(String.init)
        }
    }

    @Test func `a file system that cannot make a file durable is no failure, and one that is gone is named`() throws {
        let (reader, writer) = try FileDescriptor.pipe()
        // A pipe refuses as such a file system does.
        #expect(fdatasync(writer.rawValue) != 0 && errno == EINVAL)
        try DiskFile.synchronize(writer, "/m/a.mp4")
        try writer.close()
        #expect(throws: StorageError.failed(operation: "synchronize", path: "/m/a.mp4", code: EBADF)) {
            try DiskFile.synchronize(writer, "/m/a.mp4")
        }
        try reader.close()
        #expect(
            DiskFile.translate(Errno(rawValue: ENOTCONN), "write", "/m/a.mp4").description
                == "/m/a.mp4's disk is disconnected, and what had not reached it is lost: mount it again")
    }

    private func blocks(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_blocks) * 512 : -1
    }

    @Test func `on disk the file is the same as in memory and reserves nothing when finished`() throws {
        let path = directory("take.mp4")
        let memory = MemoryFile()
        try take.write(to: memory)
        try take.write(to: try DiskFile.create(path))
        #expect(try contents(of: path) == memory.bytes)
        #expect(blocks(path) < memory.bytes.count + 16384)
        #expect(try entries == ["take.mp4"])
    }

    @Test(arguments: [false, true])
    func `a private file is its owner's, whatever the umask says`(_ overwrite: Bool) throws {
        let path = directory("take.mp4")
        let file = try DiskFile.create(path, ifTaken: overwrite ? .replace : .refuse, isPrivate: true)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        withExtendedLifetime(file) {}
    }

    @Test func `what exists is not replaced unasked`() throws {
        let path = directory("take.mp4")
        try write([1, 2, 3], to: path)
        #expect(throws: StorageError.alreadyExists(path: path)) { try DiskFile.create(path) }
        #expect(try contents(of: path) == [1, 2, 3])
    }

    @Test func `of files with one name that are made at once, each gets one of its own`() throws {
        let path = directory("take.mp4")
        let files = Monitor<[DiskFile]>([])
        let threads = (1...8).map { _ in
            DedicatedThread(name: "maker") {
                guard let file = try? DiskFile.create(path, ifTaken: .number) else { return }
                files.withLock { $0.append(file) }
            }
        }
        for thread in threads { thread.join() }
        let names = ["take.mp4"] + (2...8).map { "take \($0).mp4" }
        #expect(Set(files.withLock { $0.map(\.path) }) == Set(names.map { directory($0) }))
        #expect(try Set(entries) == Set(names))
    }

    @Test func `a complete file gets the name that is free at its end`() throws {
        let path = directory(String(repeating: "ü", count: 125) + ".mp4")
        let files = try (1...3).map { _ in try WholeFile(path, ifTaken: .number) }
        for file in files { try file.publishWhole() }
        // A name that gets too long is cut.
        let stem = String(repeating: "ü", count: 124)
        #expect(files.map(\.path) == [path, directory(stem + " 2.mp4"), directory(stem + " 3.mp4")])
        #expect(try entries.count == 3)
    }

    @Test func `a removed directory is made again`() throws {
        let path = directory("deep/down/take.mp4")
        _ = try run("mkdir", ["-p", directory("deep/down")])
        let writer = try MP4Writer(try DiskFile.create(path, fallbackDirectories: []))
        writer.append(take.samples[0][0])
        try writer.flush(through: .milliseconds(500))
        _ = try run("rm", ["-r", directory("deep")])
        #expect(throws: StorageError.removed(path: path)) { try writer.checkName() }
        let finished = try writer.finish(at: .milliseconds(900))
        #expect(finished.path == path)
        #expect(try OracleMovie(contents(of: path)).duration == 81000)
    }

    @Test(arguments: [false, true]) func `a directory that cannot be made again sends the file elsewhere`(isTaken: Bool)
        throws
    {
        let (path, fallbackDirectory) = (directory("gone/take.mp4"), directory("videos"))
        _ = try run("mkdir", [directory("gone"), fallbackDirectory])
        if isTaken { try write([7], to: fallbackDirectory + "/take.mp4") }
        let writer = try MP4Writer(
            try DiskFile.create(path, fallbackDirectories: [directory("gone/below a file"), fallbackDirectory]))
        writer.append(take.samples[0][0])
        try writer.flush(through: .milliseconds(500))
        _ = try run("rm", ["-r", directory("gone")])
        try write([1], to: directory("gone"))  // a file in its place: not even root makes a directory of it
        let finished = try writer.finish(at: .milliseconds(900))
        #expect(finished.path.hasPrefix(fallbackDirectory + "/take"))
        #expect((finished.path == fallbackDirectory + "/take.mp4") == !isTaken)
        #expect(try OracleMovie(contents(of: finished.path)).duration == 81000)
        if isTaken { #expect(try contents(of: fallbackDirectory + "/take.mp4") == [7]) }
    }

    @Test func `a removed file that cannot be finished is put back unfinished`() throws {
        let path = directory("take.mp4")
        let file = LimitedFile(try DiskFile.create(path, fallbackDirectories: []), limit: .max)
        let writer = try MP4Writer(file)
        writer.append(take.samples[0][0])
        try writer.flush(through: .milliseconds(500))
        #expect(unlink(path) == 0)
        file.limit = 0
        #expect(throws: StorageError.full(path: path)) { try writer.finish(at: .milliseconds(900)) }
        file.close()
        #expect(try MP4Recovery.recover(path).frames == 1)
    }

    @Test func `what a killed process left beside a file goes with the next look`() throws {
        let path = directory("take.mp4")
        try take.write(to: try DiskFile.create(path))
        let child = try ChildProcess(executable: "/bin/true", arguments: [], environment: [])
        _ = child.wait()
        let foreign = [".kinecast-\(getppid())-1.part", ".take.mp4.\(child.pid).part", ".kinecast-x-1.part"]
        for name in foreign + [".kinecast-\(child.pid)-1.part"] { try write([1], to: directory(name)) }
        let links = [".kinecast-\(child.pid)-2.part"]
        #expect(symlink("take.mp4", directory(links[0])) == 0)
        _ = try MP4Recovery.recover(path)
        #expect(try Set(entries) == Set(foreign + links + ["take.mp4"]))
    }

    @Test func `a temporary name cannot be foretold, and another is tried where it is taken`() throws {
        var names: [String] = []
        for _ in 0..<2 {
            let name = try DiskFile.withTemporaryName(in: directory.path) { (name) throws(StorageError) in
                names.append(name)
                guard names.count % 3 == 0 else { throw .alreadyExists(path: name) }
                return name
            }
            #expect(name == names.last)
        }
        #expect(names.count == 6 && Set(names).count == 6)
        let prefix = "\(directory.path)/.kinecast-\(getpid())-"
        #expect(names.allSatisfy { $0.hasPrefix(prefix) && $0.hasSuffix(".part") })
        #expect(names.allSatisfy { $0.utf8.count > prefix.utf8.count + 15 }, "a long random number")
        #expect(throws: StorageError.alreadyExists(path: "taken")) {
            try DiskFile.withTemporaryName(in: directory.path) { (_) throws(StorageError) -> String in
                throw .alreadyExists(path: "taken")
            }
        }
    }

    @Test func `a name for what was kept is numbered where it is taken`() throws {
        let path = directory("take.mp4")
        let file = try DiskFile.create(path, fallbackDirectories: [])
        try file.write([4], at: 0)
        #expect(unlink(path) == 0)
        try write([7], to: path)
        try write([8], to: directory("take-kept-\(getpid()).mp4"))
        try file.putBack()
        #expect(try contents(of: file.path) == [4] && contents(of: path) == [7] && entries.count == 3)
    }

    @Test func `a hole is passed over where the file system knows it`() throws {
        let file = try DiskFile.create(directory("holes"))
        for offset in [Int64(0), 1 << 30] { try file.write([1], at: offset) }
        #expect(try file.dataOffset(from: 0) == 0)
        #expect(try (1 << 20...1 << 30).contains(file.dataOffset(from: 1 << 20)))
        #expect(try file.dataOffset(from: 1 << 30) == 1 << 30)
        #expect(try file.dataOffset(from: 1 << 31) == 1 << 31, "behind the end")
    }

    @Test func `a move of the index that is killed leaves nothing`() throws {
        let path = directory("take.mp4")
        try take.write(to: try DiskFile.create(path))
        let before = try contents(of: path)
        do {
            let half = try DiskFile.createReplacement(for: path)
            try half.write(Array(before.prefix(1000)), at: 0)
        }
        #expect(try contents(of: path) == before)
        #expect(try entries == ["take.mp4"])
    }

    @Test func `what is not there cannot be recovered`() throws {
        let path = directory("none.mp4")
        #expect(throws: MP4Recovery.Error.storage(.cannotOpen(path: path, code: ENOENT))) {
            try MP4Recovery.recover(path)
        }
        #expect(throws: MP4Recovery.Error.storage(.notARegularFile(path: directory.path))) {
            try MP4Recovery.recover(directory.path)
        }
    }

    @Test func `the index of a linked file moves and the link stays`() throws {
        let (path, link) = (directory("take.mp4"), directory("link.mp4"))
        try take.write(to: try DiskFile.create(path))
        #expect(symlink("take.mp4", link) == 0)
        try MP4FastStart.moveIndexToFront(link)
        var status = stat()
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(try OracleMovie(contents(of: path)).types == ["ftyp", "moov", "mdat"])
    }

    @Test func `a missing directory is an error that names the file`() throws {
        let path = directory("missing/take.mp4")
        let expected = StorageError.cannotCreate(path: path, code: ENOENT)
        #expect(throws: expected) { try DiskFile.create(path) }
        #expect(expected.isCreationFailure)
        #expect("\(expected)".contains(path))
    }

    @Test func `a file that is being written is neither recovered nor replaced`() throws {
        let path = directory("take.mp4")
        do {
            let file = try DiskFile.create(path)
            let writer = try MP4Writer(file)
            #expect(throws: MP4Recovery.Error.storage(.inUse(path: path))) { try MP4Recovery.recover(path) }
            #expect(throws: StorageError.inUse(path: path)) { try DiskFile.create(path, ifTaken: .replace) }
            writer.append(take.samples[0][0])
            try writer.flush(through: .milliseconds(500))
        }
        #expect(try MP4Recovery.recover(path).frames == 1)
    }

    @Test func `a deleted file is noticed and put back when finished`() throws {
        let path = directory("take.mp4")
        let writer = try MP4Writer(try DiskFile.create(path))
        writer.append(take.samples[0][0])
        try writer.flush(through: .milliseconds(500))
        #expect(unlink(path) == 0)
        #expect(throws: StorageError.removed(path: path)) { try writer.synchronize() }
        let finished = try writer.finish(at: .milliseconds(900))
        #expect(finished.path == path)
        let bytes = try contents(of: path)
        #expect(Int64(bytes.count) == finished.bytes)
        #expect(try OracleMovie(bytes).duration == 81000)
    }

    @Test func `a replaced file is put back beside what replaced it`() throws {
        let path = directory("take.mp4")
        let writer = try MP4Writer(try DiskFile.create(path))
        writer.append(take.samples[0][0])
        try writer.flush(through: .milliseconds(500))
        try write([7], to: directory("other"))
        #expect(rename(directory("other"), path) == 0)
        let finished = try writer.finish(at: .milliseconds(900))
        #expect(finished.path != path)
        #expect(try contents(of: path) == [7])
        #expect(try OracleMovie(contents(of: finished.path)).duration == 81000)
    }

    @Test func `on a full disk the file is still finished`() throws {
        let path = directory("take.mp4")
        let file = LimitedFile(try DiskFile.create(path), limit: 120 << 10)
        let long = SyntheticTake(seed: 2, seconds: 200, audio: [SyntheticTake.audio(.audioApp)])
        let finished = try #require(try long.write(to: file))
        #expect(finished.failure == .full(path: path))
        #expect(finished.bytes <= 120 << 10)
        let movie = try OracleMovie(contents(of: path))
        #expect(movie.types == ["ftyp", "mdat", "moov"])
        #expect(movie.tracks[0].samples.count == finished.frames && finished.frames > 20)
    }

    @Test func `a finished file is free for others while the writer still exists`() throws {
        let path = directory("take.mp4")
        let writer = try MP4Writer(try DiskFile.create(path))
        writer.append(take.samples[0][0])
        _ = try writer.finish(at: .milliseconds(500))
        try MP4FastStart.moveIndexToFront(path)
        #expect(writer.failure == nil)
    }

    @Test func `beyond four gigabytes the offsets have 64 bits`() throws {
        let path = directory("take.mp4")
        let file = try DiskFile.create(path)
        let movie = MovieDescription(creationTime: 0, video: SyntheticTake.video, audio: [])
        try file.write(RecordingLayout.header(movie), at: 0)
        var table = SampleTable()
        let offsets: [Int64] = [5000, 5 << 30, 5 << 30 + 100]
        for offset in offsets {
            table.append(size: 10, duration: 90000, isSync: true)
            table.appendChunk(offset: offset, length: 1)
        }
        let end = Int64(5 << 30) + 1000
        let bytes = try RecordingLayout.finish(file, end: end, movie: movie, tables: [table])
        let size = try OracleBox.parse(file.read(at: end + 8, count: Int(bytes - end) - 8), 0..<Int(bytes - end) - 8)
        #expect(size.map(\.type) == ["moov"])
        let index = try file.read(at: end + 8, count: Int(bytes - end) - 8)
        #expect(try OracleMovie(index).tracks[0].samples.map(\.offset) == offsets.map { Int($0) })
        file.close()
        #expect(try MP4Recovery.recover(path).wasAlreadyFinished)
    }

    @Test func `the index moves to the front and every sample stays the same`() throws {
        let path = directory("take.mp4")
        try take.write(to: try DiskFile.create(path))
        #expect(chmod(path, 0o640) == 0)
        let before = try contents(of: path)
        try MP4FastStart.moveIndexToFront(path)
        let after = try contents(of: path)
        let (old, new) = (try OracleMovie(before), try OracleMovie(after))
        #expect(new.types == ["ftyp", "moov", "mdat"])
        #expect(try new.payloads(after) == old.payloads(before))
        #expect(new.tracks.map { $0.samples.map(\.start) } == old.tracks.map { $0.samples.map(\.start) })
        #expect(after.count == before.count)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(try entries == ["take.mp4"])

        try MP4FastStart.moveIndexToFront(path)  // nothing to do
        #expect(try contents(of: path) == after)
        #expect(try MP4Recovery.recover(path).wasAlreadyFinished)
        #expect(try contents(of: path) == after)
    }

    @Test func `a file that is not finished or not ours keeps its index where it is`() throws {
        let path = directory("take.mp4")
        try take.write(to: try DiskFile.create(path), finishing: false)
        #expect(throws: MP4FastStart.Error.notFinished(path: path)) { try MP4FastStart.moveIndexToFront(path) }
        let other = directory("other.mp4")
        try write([1, 2, 3], to: other)
        #expect(throws: MP4FastStart.Error.notARecording(path: other)) { try MP4FastStart.moveIndexToFront(other) }
        #expect(try contents(of: other) == [1, 2, 3])
    }

    /// A disk with little room: reserving past the limit fails, as it does when no space is left.
    final class LimitedFile: StorageFile {
        private let file: DiskFile
        var limit: Int64
        /// Writes from this offset on fail, as on a disk that has become full since the reservation.
        var firstFailing = Int64.max

        init(_ file: DiskFile, limit: Int64) {
            self.file = file
            self.limit = limit
        }

        var path: String { file.path }
        func size() throws(StorageError) -> Int64 { try file.size() }
        func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
            try file.read(at: offset, count: count)
        }
        func write(_ bytes: [UInt8], at offset: Int64) throws(StorageError) {
            guard offset + Int64(bytes.count) <= limit, offset < firstFailing else { throw .full(path: path) }
            try file.write(bytes, at: offset)
        }
        func truncate(to size: Int64) throws(StorageError) { try file.truncate(to: size) }
        func synchronize() throws(StorageError) { try file.synchronize() }
        func reserve(through end: Int64) throws(StorageError) {
            guard end <= limit else { throw .full(path: path) }
            try file.reserve(through: end)
        }
        func publish() throws(StorageError) { try file.publish() }
        func isRemoved() throws(StorageError) -> Bool { try file.isRemoved() }
        func putBack() throws(StorageError) { try file.putBack() }
        func close() { file.close() }
    }
}
