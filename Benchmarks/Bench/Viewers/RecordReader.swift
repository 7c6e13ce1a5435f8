// Finds the records in what the live page's server sends for `samples`, in whatever pieces it comes. Pure.

/// Reads one HTTP response in chunks (RFC 9112, section 7.1), and the records in it (docs/live.md, “What a record is”).
struct RecordReader {
    struct Record: Equatable {
        var kind: UInt8
        /// Microseconds on the take's timeline.
        var time: Int64

        /// A frame or a piece of audio.
        var isSample: Bool { (2...4).contains(kind) }
    }

    private enum Part: Equatable {
        /// In the head; how many bytes of the empty line at its end have come.
        case head(matched: Int)
        case chunkSize(Int)
        case chunk(left: Int)
        /// Behind a chunk, or behind a size.
        case lineEnd
        case ended
    }

    private static let headerBytes = 16
    private var part = Part.head(matched: 0)
    private var header: [UInt8] = []
    /// Of the record's content.
    private var contentLeft = 0

    /// Calls `body` with each record that ends in `bytes`.
    mutating func read(_ bytes: UnsafeRawBufferPointer, _ body: (Record) -> Void) {
        var place = 0
        while place < bytes.count {
            switch part {
            case .head(let matched):
                let isExpected = bytes[place] == (matched % 2 == 0 ? UInt8(ascii: "\r") : UInt8(ascii: "\n"))
                let count = isExpected ? matched + 1 : bytes[place] == UInt8(ascii: "\r") ? 1 : 0
                part = count == 4 ? .chunkSize(0) : .head(matched: count)
                place += 1
            case .chunkSize(let size):
                if let digit = Character(Unicode.Scalar(bytes[place])).hexDigitValue {
                    part = .chunkSize(size * 16 + digit)
                } else if bytes[place] == UInt8(ascii: "\n") {
                    part = size == 0 ? .ended : .chunk(left: size)
                }
                place += 1
            case .chunk(let left):
                let count = min(left, bytes.count - place)
                readContent(UnsafeRawBufferPointer(rebasing: bytes[place..<place + count]), body)
                part = left == count ? .lineEnd : .chunk(left: left - count)
                place += count
            case .lineEnd:
                if bytes[place] == UInt8(ascii: "\n") { part = .chunkSize(0) }
                place += 1
            case .ended: return
            }
        }
    }

    private mutating func readContent(_ bytes: UnsafeRawBufferPointer, _ body: (Record) -> Void) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if header.count < Self.headerBytes {
                let count = min(Self.headerBytes - header.count, rest.count)
                header += rest.prefix(count)
                rest = rest.dropFirst(count)
                guard header.count == Self.headerBytes else { return }
                contentLeft = integer(header[..<4]) + 4 - Self.headerBytes
            }
            let count = min(contentLeft, rest.count)
            contentLeft -= count
            rest = rest.dropFirst(count)
            guard contentLeft == 0 else { return }
            body(Record(kind: header[4], time: Int64(integer(header[8...]))))
            header.removeAll(keepingCapacity: true)
        }
    }

    private func integer(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
