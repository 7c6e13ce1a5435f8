// The contents of a file of shared defaults: 32 bytes, then the entries. The numbers are big-endian.
//
//     0   "KineDef1"
//     8   generation: grows by one with each write
//     16  bytes of the entries
//     24  their checksum (FNV-1a, 64 bits), which includes the generation
//     32  for each key, in the order of their bytes: 4 bytes with the key's length, 4 with the value's, the key (UTF-8), the value
//
// Every process that observes the file reads it after each change. Decoding a property list took half the time.
import FoundationEssentials

/// All values of some defaults at one instant. The values are property lists of one element: a property list has no bare values.
package struct DefaultsSnapshot: Sendable, Equatable {
    package var generation: UInt64 = 0
    package var entries: [String: Data] = [:]

    package init(generation: UInt64 = 0, entries: [String: Data] = [:]) {
        self.generation = generation
        self.entries = entries
    }

    /// The keys whose values differ.
    package func keys(differingFrom other: DefaultsSnapshot) -> Set<String> {
        var keys = Set(entries.lazy.filter { other.entries[$0.key] != $0.value }.map(\.key))
        for key in other.entries.keys where entries[key] == nil { keys.insert(key) }
        return keys
    }
}

package enum DefaultsFile {
    /// The most bytes of a file.
    package static let limit = 1 << 20
    private static let magic = Array("KineDef1".utf8)
    private static let headerBytes = 32
    /// Counting never reaches a greater one. Nanoseconds since 1970 stay below until 2043.
    private static let lastGeneration: UInt64 = 1 << 61

    /// The generation of the write after `generation`. Counts on from the clock if the file is damaged, since it may
    /// have had a later generation than any known, and if a member of the group has written the greatest generation.
    package static func generation(after generation: UInt64, isDamaged: Bool, now: Int64) -> UInt64 {
        let clock = min(UInt64(clamping: now), lastGeneration)
        guard generation < lastGeneration else { return clock }
        return isDamaged ? max(generation + 1, clock) : generation + 1
    }

    /// Nil if the values need more bytes than a file may have.
    package static func bytes(of snapshot: DefaultsSnapshot) -> [UInt8]? {
        var body: [UInt8] = []
        for (key, value) in snapshot.entries.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            guard headerBytes + body.count + 8 + key.utf8.count + value.count <= limit else { return nil }
            append(UInt64(key.utf8.count), bytes: 4, to: &body)
            append(UInt64(value.count), bytes: 4, to: &body)
            body += key.utf8
            body += value
        }
        var bytes = magic
        append(snapshot.generation, bytes: 8, to: &bytes)
        append(UInt64(body.count), bytes: 8, to: &bytes)
        append(checksum(body[...], generation: snapshot.generation), bytes: 8, to: &bytes)
        return bytes + body
    }

    /// Whether a later version wrote the file, in a format that is unknown here.
    package static func isNewer(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 8 && bytes[..<7].elementsEqual(magic[..<7]) && (0x32...0x39).contains(bytes[7])
    }

    /// Nil if the bytes are damaged, or not written by this library.
    package static func snapshot(of bytes: [UInt8]) -> DefaultsSnapshot? {
        guard bytes.count >= headerBytes, bytes.count <= limit, bytes[..<8].elementsEqual(magic) else { return nil }
        let generation = number(in: bytes, at: 8, bytes: 8)
        guard generation <= lastGeneration, number(in: bytes, at: 16, bytes: 8) == UInt64(bytes.count - headerBytes),
            number(in: bytes, at: 24, bytes: 8) == checksum(bytes[headerBytes...], generation: generation)
        else { return nil }
        var snapshot = DefaultsSnapshot(generation: generation)
        var offset = headerBytes
        while offset < bytes.count {
            guard bytes.count - offset >= 8 else { return nil }
            let keyBytes = Int(number(in: bytes, at: offset, bytes: 4))
            let valueBytes = Int(number(in: bytes, at: offset + 4, bytes: 4))
            offset += 8
            guard keyBytes + valueBytes <= bytes.count - offset,
                let key = String(validating: bytes[offset..<offset + keyBytes], as: UTF8.self),
                snapshot.entries.updateValue(
                    Data(bytes[offset + keyBytes..<offset + keyBytes + valueBytes]), forKey: key) == nil
            else { return nil }
            offset += keyBytes + valueBytes
        }
        return snapshot
    }

    private static func append(_ number: UInt64, bytes count: Int, to bytes: inout [UInt8]) {
        for shift in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
    }

    private static func number(in bytes: [UInt8], at offset: Int, bytes count: Int) -> UInt64 {
        bytes[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>, generation: UInt64) -> UInt64 {
        var sum: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ byte: UInt8) { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for shift in (0..<8).reversed() { add(UInt8(truncatingIfNeeded: generation >> (8 * shift))) }
        for byte in bytes { add(byte) }
        return sum
    }
}
