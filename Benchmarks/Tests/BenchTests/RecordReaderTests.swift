// What the viewers of the bench find in the live page's stream.
import Testing

@testable import kinecast_bench

@Suite struct RecordReaderTests {
    private func record(kind: UInt8, time: Int64, content: Int) -> [UInt8] {
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        return bytes(UInt32(12 + content)) + [kind, 0, 0, 0] + bytes(time) + [UInt8](repeating: 13, count: content)
    }

    private func chunk(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        Array((String(bytes.count, radix: 16) + "\r\n").utf8) + bytes + Array("\r\n".utf8)
    }

    @Test(arguments: [1, 2, 7, 1000])
    func `records are found in whatever pieces and chunks they come`(pieceBytes: Int) {
        let records =
            record(kind: 0, time: 0, content: 0) + record(kind: 2, time: 33_333, content: 300)
            + record(kind: 3, time: -5, content: 17)
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let response =
            Array(head.utf8) + chunk(records[..<5]) + chunk(records[5..<70]) + chunk(records[70...])
            + Array("0\r\n\r\n".utf8)
        var reader = RecordReader()
        var found: [RecordReader.Record] = []
        for start in stride(from: 0, to: response.count, by: pieceBytes) {
            response[start..<min(response.count, start + pieceBytes)].withUnsafeBytes {
                reader.read($0) { found.append($0) }
            }
        }
        #expect(found.map(\.kind) == [0, 2, 3] && found.map(\.time) == [0, 33_333, -5])
        #expect(found.map(\.isSample) == [false, true, true])
    }
}
