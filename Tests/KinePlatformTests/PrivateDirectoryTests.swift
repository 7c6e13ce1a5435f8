// Directories of one user.
import Glibc
import KineMeasure
import SystemPackage
import Testing

@testable import KinePlatform

@Suite struct PrivateDirectoryTests {
    @Test func `missing parents are made for their owner alone, and what is there stays`() throws {
        let root = try TemporaryDirectory()
        let path = FilePath(root.file("a/b/c"))
        for _ in 0..<2 { try PrivateDirectory.makeMissing(path) }
        for made in [path, path.removingLastComponent()] { #expect(try PrivateDirectory.check(made) == 0o700) }
        try #require(symlink(path.string, root.file("link")) == 0)
        try PrivateDirectory.makeMissing(FilePath(root.file("link/d")))
        #expect(PrivateDirectory.entries(path) == ["d"])
    }

    @Test func `a file in the way, or a place where nothing can be made, is an error`() throws {
        let root = try TemporaryDirectory()
        try root.write([], to: "file")
        #expect(throws: Errno.notDirectory) { try PrivateDirectory.makeMissing(FilePath(root.file("file/a"))) }
        #expect(throws: Errno.self) { try PrivateDirectory.makeMissing("/proc/none/a") }
    }
}
