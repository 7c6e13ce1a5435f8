// Lines from a pipe, however they arrive.
import KinePlatform
import SystemPackage
import Testing

@Suite struct LineReaderTests {
    @Test func `lines are whole however they are written, and the last one needs its end`() throws {
        let pipe = try FileDescriptor.pipe()
        let reader = LineReader(pipe.readEnd)
        #expect(reader.read().isEmpty && reader.descriptor == pipe.readEnd.rawValue)
        try pipe.writeEnd.writeAll("a\n\nbé".utf8)
        #expect(reader.read() == ["a", ""])
        for byte in "c\nd".utf8 { try pipe.writeEnd.writeAll([byte]) }
        #expect(reader.read() == ["béc"])
        // Longer than the reader keeps, and than the pipe: it is left out, and what follows is not.
        for _ in 0..<10 {
            try pipe.writeEnd.writeAll(String(repeating: "x", count: 10_000).utf8)
            #expect(reader.read().isEmpty)
        }
        try pipe.writeEnd.writeAll("\nnext\nlost".utf8)
        #expect(reader.read() == ["next"])
        try pipe.writeEnd.close()
        #expect(reader.read().isEmpty && reader.descriptor == nil && reader.read().isEmpty)
    }
}
