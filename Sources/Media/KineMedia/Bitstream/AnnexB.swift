// The two forms of H.264 and HEVC access units: with start codes, for hardware, players and MPEG-TS (ITU-T H.264 and
// H.265, annex B), and with lengths, for files and RTMP (ISO/IEC 14496-15, 4.3.2).

/// Converts access units to annex B's byte stream format and back. Pure; for any bytes, it returns or throws.
public enum AnnexB {
    /// Why bytes are not an access unit. `offset` is the position in the input.
    public enum Error: Swift.Error, Equatable, CustomStringConvertible {
        /// The bytes have no NAL unit.
        case empty
        /// A length exceeds the end, or the last length is cut off.
        case lengthBeyondEnd(offset: Int)
        /// An empty NAL unit.
        case emptyUnit(offset: Int)
        /// Neither a start code nor a zero between two NAL units or before the first.
        case startCodeMissing(offset: Int)
        /// A NAL unit contains three bytes that read as a start code, which no NAL unit may contain (7.4.1), or ends
        /// with a zero. With start codes, its end would be ambiguous.
        case startCodeInUnit(offset: Int)
        /// The length of the NAL unit at `offset` needs more than four bytes.
        case unitTooLong(offset: Int)
        /// A parameter set to prepend is not a NAL unit.
        case parameterSet

        public var description: String {
            switch self {
            case .empty: "There is no NAL unit in the bytes."
            case .lengthBeyondEnd(let offset): "The length at byte \(offset) reaches beyond the end of the access unit."
            case .emptyUnit(let offset): "The NAL unit at byte \(offset) is empty."
            case .startCodeMissing(let offset): "There is no start code at byte \(offset)."
            case .startCodeInUnit(let offset): "The NAL unit around byte \(offset) holds what reads as a start code."
            case .unitTooLong(let offset): "The NAL unit at byte \(offset) has more than 4 GB."
            case .parameterSet: "A parameter set is no NAL unit."
            }
        }
    }

    private static let startCode: [UInt8] = [0, 0, 0, 1]

    /// The access unit with a start code of four bytes before each NAL unit.
    /// - Parameters:
    ///   - accessUnit: as in `EncodedSample.data`: each NAL unit has a four-byte big-endian length before it.
    ///   - sets: H.264's parameter sets to prepend to a keyframe: a byte stream has them nowhere else.
    public static func bytes(
        from accessUnit: [UInt8], prepending sets: H264ParameterSets? = nil
    ) throws(Error) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(accessUnit.count + (sets.map { $0.sequence.count + $0.picture.count + 8 } ?? 0))
        for set in sets.map({ [$0.sequence, $0.picture] }) ?? [] {
            guard set.last.map({ $0 != 0 }) ?? false, firstStartCode(in: set, 0..<set.count) == nil else {
                throw .parameterSet
            }
            result += startCode + set
        }
        guard !accessUnit.isEmpty else { throw .empty }
        var position = 0
        while position < accessUnit.count {
            guard accessUnit.count - position >= 4 else { throw .lengthBeyondEnd(offset: position) }
            let length = accessUnit[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            let start = position + 4
            guard length > 0 else { throw .emptyUnit(offset: position) }
            guard length <= accessUnit.count - start else { throw .lengthBeyondEnd(offset: position) }
            let unit = start..<start + length
            if let place = firstStartCode(in: accessUnit, unit) { throw .startCodeInUnit(offset: place) }
            guard accessUnit[unit.upperBound - 1] != 0 else { throw .startCodeInUnit(offset: unit.upperBound - 1) }
            result += startCode
            result += accessUnit[unit]
            position = unit.upperBound
        }
        return result
    }

    /// The NAL units of a byte stream, each with a four-byte big-endian length before it. Keeps parameter sets and
    /// delimiters, which `EncodedSample.data` does not have; the caller removes them.
    /// - Parameter stream: whole NAL units after start codes of three or four bytes, with any zeros around them.
    public static func lengthPrefixed(_ stream: [UInt8]) throws(Error) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(stream.count + 4)
        var position = 0
        while true {
            let before = position
            while position < stream.count, stream[position] == 0 { position += 1 }
            guard position < stream.count else { break }  // trailing_zero_8bits (B.1.1)
            guard position - before >= 2, stream[position] == 1 else { throw .startCodeMissing(offset: position) }
            let start = position + 1
            var end = firstStartCode(in: stream, start..<stream.count) ?? stream.count
            while end > start, stream[end - 1] == 0 { end -= 1 }
            guard end > start else { throw .emptyUnit(offset: start) }
            guard let length = UInt32(exactly: end - start) else { throw .unitTooLong(offset: start) }
            for shift in [24, 16, 8, 0] { result.append(UInt8(truncatingIfNeeded: length >> UInt32(shift))) }
            result += stream[start..<end]
            position = end
        }
        guard !result.isEmpty else { throw .empty }
        return result
    }

    /// The position of the first two zeros that a zero or a one follows, all within `range`.
    private static func firstStartCode(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index + 2 < range.upperBound {
            if bytes[index + 2] > 1 {
                index += 3  // neither this byte nor the two before it can begin one
            } else if bytes[index] == 0, bytes[index + 1] == 0 {
                return index
            } else {
                index += 1
            }
        }
        return nil
    }
}

/// In three bytes 0 0 x with x < 4, a 3 is inserted before x.
package enum EmulationPrevention {
    package static func removed(from unit: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var zeros = 0
        for byte in unit {
            if zeros >= 2 && byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        return result
    }

    package static func added(to payload: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var zeros = 0
        for byte in payload {
            if zeros >= 2 && byte < 4 {
                result.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        return result
    }
}
