// A directory that goes with the test.
import Glibc
import SystemPackage

@testable import KineRelay

enum TemporaryDirectory {
    static func with(_ body: (FilePath) throws -> Void) throws {
        var template = Array("/tmp/kinecast-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        let path = FilePath(String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        defer { remove(path) }
        try body(path)
    }

    private static func remove(_ path: FilePath) {
        for name in PrivateDirectory.entries(path) {
            let entry = path.appending(name)
            if unlink(entry.string) != 0 { remove(entry) }
        }
        rmdir(path.string)
    }
}
