// Checks a value of another process before Foundation decodes it. Foundation follows references without a limit, and
// traps on some lengths.
//
// The format is CoreFoundation's (CFBinaryPList.c): "bplist00", the objects, a table of their offsets, and a trailer of
// 32 bytes. An object is a marker, with the type in its high half and the size in its low half, and its bytes; arrays
// and dictionaries hold numbers of other objects. All numbers are big-endian.
import FoundationEssentials

/// Visits all objects of a binary property list as often as decoding reads them.
struct BinaryPropertyList {
    /// The deepest nesting of arrays and dictionaries.
    static let deepest = 64
    /// The most bytes of decoded texts and data. This may exceed the list's size, which stores equal values once.
    static let largest = 16 << 20

    private let bytes: [UInt8]
    private let offsetBytes: Int
    private let referenceBytes: Int
    private let objectCount: Int
    private let top: Int
    /// The offset of the table; the objects end there.
    private let table: Int
    private var visits = 0
    private var decodedBytes = 0

    /// Whether Foundation can decode `data` with a small stack and little memory. Accepts the types that
    /// `PropertyListEncoder` writes.
    static func canDecode(_ data: Data) -> Bool {
        guard var list = BinaryPropertyList(data) else { return false }
        return list.visit(list.top, depth: 1)
    }

    private init?(_ data: Data) {
        let bytes = Array(data)
        let trailer = bytes.count - 32
        guard trailer > 8, bytes.starts(with: "bplist00".utf8) else { return nil }
        (offsetBytes, referenceBytes) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        let words = [8, 16, 24].compactMap { Self.number(in: bytes, at: trailer + $0, bytes: 8) }
        guard 1...8 ~= offsetBytes, 1...8 ~= referenceBytes, words.count == 3, words[0] <= trailer, words[2] <= trailer
        else { return nil }
        (self.bytes, objectCount, top, table) = (bytes, words[0], words[1], words[2])
    }

    /// Nil if the list ends before, or the number is greater than any length.
    private static func number(in list: [UInt8], at offset: Int, bytes count: Int) -> Int? {
        guard count <= list.count - offset else { return nil }
        return Int(exactly: list[offset..<offset + count].reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }

    private func number(at offset: Int, bytes count: Int) -> Int? { Self.number(in: bytes, at: offset, bytes: count) }

    /// A list that refers to itself is too deep. Repeated visits are limited: each reference takes at least a byte, and
    /// the encoder writes each array and dictionary as often as it occurs.
    private mutating func visit(_ object: Int, depth: Int) -> Bool {
        visits += 1
        guard visits <= bytes.count, object < objectCount,
            let offset = number(at: table + object * offsetBytes, bytes: offsetBytes), (8..<table).contains(offset)
        else { return false }
        let (type, size) = (bytes[offset] >> 4, Int(bytes[offset] & 15))
        switch type {
        case 0: return [0, 8, 9].contains(size)  // null, false, true
        case 1: return size <= 4 && 1 << size < table - offset  // an integer
        case 2: return (2...3).contains(size) && 1 << size < table - offset  // a real number
        case 3: return size == 3 && 8 < table - offset  // a date
        case 4...6:  // data, ASCII, UTF-16
            guard let (start, count) = content(at: offset, size: size, unit: type == 6 ? 2 : 1) else { return false }
            decodedBytes += count
            return decodedBytes <= Self.largest && start + count <= table
        case 10, 13:  // an array, a dictionary
            let unit = referenceBytes * (type == 13 ? 2 : 1)
            guard depth <= Self.deepest, let (start, count) = content(at: offset, size: size, unit: unit) else {
                return false
            }
            return stride(from: start, to: start + count, by: referenceBytes).allSatisfy { place in
                guard let object = number(at: place, bytes: referenceBytes) else { return false }
                return visit(object, depth: depth + 1)
            }
        default: return false
        }
    }

    /// The offset and the length of an object's contents; nil if they do not end before the table. A size of 15 means
    /// that an integer with the length comes first.
    private func content(at offset: Int, size: Int, unit: Int) -> (start: Int, bytes: Int)? {
        var (start, count) = (offset + 1, size)
        if size == 15 {
            guard start < table, (0x10...0x13).contains(bytes[start]) else { return nil }
            let length = 1 << Int(bytes[start] & 15)
            guard let number = number(at: start + 1, bytes: length) else { return nil }
            (start, count) = (start + 1 + length, number)
        }
        guard start <= table, count <= (table - start) / unit else { return nil }
        return (start, count * unit)
    }
}
