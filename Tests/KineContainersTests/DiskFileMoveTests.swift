// Moving a file that other processes have open.
import Glibc
import KineMeasure
import Testing

@testable import KineContainers

@Suite struct DiskFileMoveTests {
    @Test func `a file is moved while it is read, and not while it is written`() throws {
        let directory = try TemporaryDirectory()
        let (path, target) = (try directory.write("film".utf8, to: "a.mp4"), directory.file("b.mp4"))
        do {
            let writer = try DiskFile.open(path)
            #expect(throws: StorageError.inUse(path: path)) { try DiskFile.move(path, to: target) }
            #expect(try writer.isFile(at: path))
        }
        let reader = try DiskFile.openToRead(path)
        try DiskFile.move(path, to: target)
        #expect(try reader.isFile(at: target) && access(path, F_OK) != 0)
    }
}
