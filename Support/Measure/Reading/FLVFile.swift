// Reads FLV files (Adobe's "Video File Format Specification 10.1", annex E): the form in which RTMP carries a stream, and in
// which servers write down what they got.
import SystemPackage

/// One tag: video, audio, or what is said about them.
public struct FLVTag: Equatable, Sendable {
    /// 8 audio, 9 video, 18 data.
    public var type: Int
    /// Milliseconds.
    public var timestamp: UInt32
    /// The bytes of the RTMP message that it was or becomes.
    public var payload: [UInt8]

    /// Not a sequence header, nor the end of one.
    public var isSample: Bool { type != 18 && payload.count > 1 && payload[1] == 1 }
    public var isKeyframe: Bool { type == 9 && payload.first.map { $0 >> 4 == 1 } == true }
    /// Without the access unit delimiter (H.264, 7.3.2.4) that a publisher puts in front of a frame.
    public var payloadWithoutDelimiter: [UInt8] {
        guard type == 9, isSample, accessUnit.starts(with: [0, 0, 0, 2, 9]) else { return payload }
        return Array(payload.prefix(5)) + accessUnit.dropFirst(6)
    }
    /// A sample's access unit, without the tag's own head (E.4.2, E.4.3).
    public var accessUnit: ArraySlice<UInt8> { payload.dropFirst(type == 9 ? 5 : 2) }
}

public enum FLVFile {
    /// All whole tags; a file that is still being written may end anywhere.
    public static func read(_ path: String) throws -> [FLVTag] {
        let file = try FileDescriptor.open(FilePath(path), .readOnly)
        defer { try? file.close() }
        return tags(try Tool.readAll(file))
    }

    public static func tags(_ bytes: [UInt8]) -> [FLVTag] {
        var tags: [FLVTag] = []
        func number(_ offset: Int, _ count: Int) -> Int {
            bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
        }
        // Behind the header and the first tag's "size of the tag before".
        var at = 13
        while at + 11 <= bytes.count {
            let size = number(at + 1, 3)
            guard at + 11 + size + 4 <= bytes.count else { break }
            // The highest byte of the time comes last (E.4.1).
            let time = UInt32(number(at + 4, 3) | Int(bytes[at + 7]) << 24)
            tags.append(
                FLVTag(
                    type: Int(bytes[at] & 31), timestamp: time, payload: Array(bytes[(at + 11)..<(at + 11 + size)])))
            at += 11 + size + 4
        }
        return tags
    }

    /// The parameter sets in a frame's sequence header, of which there has to be one each (ISO/IEC 14496-15, 5.3.3.1).
    public static func parameterSets(in tags: [FLVTag]) -> (sequence: [UInt8], picture: [UInt8])? {
        guard let header = tags.first(where: { $0.type == 9 && !$0.isSample })?.accessUnit, header.count > 8 else {
            return nil
        }
        var rest = header.dropFirst(5)
        func set() -> [UInt8]? {
            guard rest.count > 3, rest[rest.startIndex] & 31 == 1 else { return nil }
            let count = Int(rest[rest.startIndex + 1]) << 8 | Int(rest[rest.startIndex + 2])
            let bytes = Array(rest.dropFirst(3).prefix(count))
            rest = rest.dropFirst(3 + count)
            return bytes.count == count ? bytes : nil
        }
        guard let sequence = set(), let frame = set() else { return nil }
        return (sequence, frame)
    }

    /// The AudioSpecificConfig; nil where there is no audio.
    public static func audioSpecificConfig(in tags: [FLVTag]) -> [UInt8]? {
        tags.first { $0.type == 8 && !$0.isSample }.map { Array($0.accessUnit) }
    }
}
