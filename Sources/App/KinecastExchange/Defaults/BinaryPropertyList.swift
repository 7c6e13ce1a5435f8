// What a value of another process has to pass before Foundation decodes it. Foundation follows its references without a limit, and
// traps on some lengths.
//
// The form is CoreFoundation's (CFBinaryPList.c): "bplist00", the objects, a table of their offsets, and a trailer of 32 bytes. An
// object is a marker, whose high half is its type and whose low half its size, and its bytes; arrays and dictionaries hold numbers of
// other objects. All numbers are big-endian.
import FoundationEssentials

/// A walk over all objects of a binary property list, as often as decoding reads them.
struct BinaryPropertyList {
    /// The most arrays and dictionaries inside each other.
    static let deepest = 64
    /// The most bytes of decoded texts and data. They may be more than those of the list, which holds equal ones once.
    static let largest = 16 << 20

    private let bytes: [UInt8]
    private let offsetBytes: Int
    private let referenceBytes: Int
    private let objectCount: Int
    private let top: Int
    /// The offset of the table, where the objects end.
    private let table: Int
    private var visits = 0
    private var decodedBytes = 0

    /// Whether `data` is a list that Foundation can decode on a small stack and in little memory. The types of its objects are those
    /// that `PropertyListEncoder` writes.
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

    /// Nil where the list ends before, or the number is greater than any length.
    private static func number(in list: [UInt8], at offset: Int, bytes count: Int) -> Int? {
        guard count <= list.count - offset else { return nil }
        return Int(exactly: list[offset..<offset + count].reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }

    private func number(at offset: Int, bytes count: Int) -> Int? { Self.number(in: bytes, at: offset, bytes: count) }

    /// A list that refers to itself is too deep. What else is visited more than once costs visits: each reference takes a byte at
    /// least, and the encoder writes each array and dictionary as often as it occurs.
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

    /// The offset and the bytes of an object's units; nil where they do not lie before the table. A size of 15 says that an integer
    /// with their number comes first.
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
