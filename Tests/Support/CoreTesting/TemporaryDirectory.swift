// A directory that goes with the test.
import FoundationEssentials
import Glibc
import SystemPackage

package enum TemporaryDirectory {
    package static func with(_ body: (FilePath) throws -> Void) throws {
        var template = Array("/tmp/kinecast-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        let path = FilePath(String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        defer { try? FileManager.default.removeItem(atPath: path.string) }
        try body(path)
    }
}
