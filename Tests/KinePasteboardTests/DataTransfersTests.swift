// Texts that are given through pipes, as a Wayland compositor passes them.
import Glibc
import SystemPackage
import Testing

@testable import KinePasteboard

@Suite struct DataTransfersTests {
    @Test func `readers that do not read shut nobody out`() throws {
        var transfers = DataTransfers()
        // More than a pipe holds.
        let text = [UInt8](repeating: 0x61, count: 1 << 20)
        var pipes: [FileDescriptor] = []
        defer { for pipe in pipes { try? pipe.close() } }
        for instant in 0..<100 {
            let pipe = try FileDescriptor.pipe()
            pipes.append(pipe.readEnd)
            transfers.give(text, through: pipe.writeEnd.rawValue, at: Int64(instant))
        }
        let last = try #require(pipes.last)
        var read = 0
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            transfers.proceed(with: Set(transfers.entries.map(\.fd)), at: 100)
            let count = try buffer.withUnsafeMutableBytes { try last.read(into: $0) }
            if count == 0 { break }
            read += count
        }
        #expect(read == text.count)
        #expect(transfers.entries.count == 63)
        transfers.fail(.ended)
    }
}
