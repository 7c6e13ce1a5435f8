// Whether bytes can be an encoded frame: after a power cut, a recording may hold zeros or old data where samples should be.
import KineMedia

extension VideoCodec {
    /// Whether units of this codec fill `sample` exactly, each with a possible header.
    func isAccessUnit(_ sample: ArraySlice<UInt8>) -> Bool {
        var reader = BoxReader(sample)
        while reader.remaining > 0 {
            guard (try? skipUnit(&reader)) == true else { return false }
        }
        return !sample.isEmpty
    }

    private func skipUnit(_ reader: inout BoxReader) throws(MalformedBox) -> Bool {
        if self == .av1 { return try reader.skipOpenBitstreamUnit() }
        let length = Int(try reader.integer(UInt32.self))
        let header = reader.rest().prefix(2)
        try reader.skip(length)
        guard length > 0, let first = header.first, let second = header.last, first & 0x80 == 0 else { return false }
        // ITU-T H.264, 7.3.1: there is no type 0. H.265, 7.3.1.2: a header has two bytes, and no temporal id plus 1 is 0.
        return self == .h264 ? first & 0x1f != 0 : length >= 2 && second & 7 != 0
    }
}

extension BoxReader {
    /// An OBU with a size field (AV1 specification, 5.3); false where its header is not possible in a sample.
    fileprivate mutating func skipOpenBitstreamUnit() throws(MalformedBox) -> Bool {
        let header = try integer(UInt8.self)
        // Forbidden and reserved bits are 0; a sample has no temporal delimiters (type 2), and type 0 is reserved.
        guard header & 0x83 == 2, header >> 3 != 0, header >> 3 != 2 else { return false }
        if header & 4 != 0 { try skip(1) }
        var (size, shift) = (0, 0)
        while true {
            let byte = try integer(UInt8.self)
            size |= Int(byte & 0x7f) << shift
            if byte & 0x80 == 0 { break }
            shift += 7
            guard shift < 35 else { return false }
        }
        try skip(size)
        return true
    }
}
