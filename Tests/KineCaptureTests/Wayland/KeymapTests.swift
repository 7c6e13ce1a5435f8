// The text of a keyboard's mapping, of which a compositor says the size.
import Glibc
import KineMeasure
import SystemPackage
import Testing

@testable import KineWayland

@Suite struct KeymapTests {
    private func keymap(_ bytes: [UInt8], size: Int) throws -> [CChar]? {
        let directory = try TemporaryDirectory()
        try Tool.write(bytes, to: directory.file("keymap"))
        let file = try FileDescriptor.open(FilePath(directory.file("keymap")), .readOnly)
        return try file.closeAfter { WaylandInput.keymap(file.rawValue, size: size) }
    }

    @Test func `a mapping is read to its zero`() throws {
        #expect(try keymap(Array("xkb_keymap".utf8) + [0, 7], size: 12) == "xkb_keymap".utf8.map { CChar($0) })
        #expect(try keymap(Array("xkb".utf8) + [0, 7], size: 3)?.count == 3)
        let largest = [UInt8](repeating: 0x20, count: 1 << 20)
        #expect(try keymap(largest, size: 1 << 20)?.count == 1 << 20)
        #expect(try keymap(largest + [0], size: 1 << 20 + 1) == nil, "more than a megabyte")
    }

    @Test(arguments: [0, 5, 4096, 1 << 24, .max, -1]) func `a size that the file has not is no mapping`(size: Int)
        throws
    {
        #expect(try keymap(Array("xkb".utf8) + [0], size: size) == nil)
    }

    @Test func `what is no ordinary file is no mapping, and is not waited for`() throws {
        let ends = try FileDescriptor.pipe()
        #expect(WaylandInput.keymap(ends.readEnd.rawValue, size: 4) == nil)
        try ends.readEnd.close()
        try ends.writeEnd.close()
        #expect(WaylandInput.keymap(-1, size: 4) == nil)
    }
}
