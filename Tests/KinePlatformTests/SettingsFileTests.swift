// The small files of settings: what is no file, links, and writers at the same time.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@Suite struct SettingsFileTests {
    private let directory: TemporaryDirectory
    private var path: FilePath { FilePath(directory.file("a.conf")) }
    private var file: SettingsFile { SettingsFile(path) }

    init() throws { directory = try TemporaryDirectory() }

    private func type(_ path: FilePath) -> UInt32 {
        var status = stat()
        return lstat(path.string, &status) == 0 ? status.st_mode & S_IFMT : 0
    }

    @Test func `what is no file is neither read nor replaced`() throws {
        for make in [{ mkfifo($0, 0o600) }, { mkdir($0, 0o700) }] as [(String) -> Int32] {
            try #require(make(path.string) == 0)
            let before = type(path)
            #expect(throws: SettingsFile.Error.notAFile(path)) { try file.contents() }
            #expect(throws: SettingsFile.Error.notAFile(path)) { try file.update { _ in [1] } }
            #expect(type(path) == before && remove(path.string) == 0)
        }
    }

    @Test func `a link stays, and what it leads to is written, also where nothing was`() throws {
        try #require(symlink("b.conf", path.string) == 0)
        try #require(symlink("new/c.conf", directory.file("b.conf")) == 0)
        for text in [[1], [2]] as [[UInt8]] {
            try file.update { _ in text }
            #expect(type(path) == S_IFLNK && type(FilePath(directory.file("b.conf"))) == S_IFLNK)
            #expect(try SettingsFile(FilePath(directory.file("new/c.conf"))).contents() == text)
        }
        unlink(path.string)
        try #require(symlink("a.conf", path.string) == 0)
        #expect(throws: SettingsFile.Error.self) { try file.update { _ in [3] } }
    }

    @Test func `writers wait for each other, and leave no lock behind`() throws {
        let threads = try (0..<4).map { number in
            try DedicatedThread(starting: "writer") { [file] in
                for _ in 0..<8 {
                    // A machine with a slow disk has another writer for longer than one waits.
                    for _ in 0..<20 where (try? file.update { ($0 ?? []) + [UInt8(number)] }) != nil { break }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(try file.contents()?.count == 32)
        #expect(PrivateDirectory.entries(path.removingLastComponent()) == ["a.conf"])
    }
}
