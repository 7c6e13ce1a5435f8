// The contents of a file of shared defaults: 32 bytes, then a property list. The numbers are big-endian.
//
//     0   "KineDef1"
//     8   generation: grows by one with each write
//     16  bytes of the property list
//     24  its checksum (FNV-1a, 64 bits), which includes the generation
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
        Set(entries.keys).union(other.entries.keys).filter { entries[$0] != other.entries[$0] }
    }
}

package enum DefaultsFile {
    /// The most bytes of a file.
    package static let limit = 1 << 20
    private static let magic = Array("KineDef1".utf8)
    private static let headerBytes = 32
    /// A greater one was not reached by counting: it would leave nothing to count to.
    private static let lastGeneration: UInt64 = 1 << 62

    /// Nil where the values have more bytes than a file may have.
    package static func bytes(of snapshot: DefaultsSnapshot) throws -> [UInt8]? {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let body = Array(try encoder.encode(snapshot.entries))
        guard headerBytes + body.count <= limit else { return nil }
        let sum = checksum(body, generation: snapshot.generation)
        return magic + bigEndian(snapshot.generation) + bigEndian(UInt64(body.count)) + bigEndian(sum) + body
    }

    /// Whether a later version has written the file, in a form that this one does not know.
    package static func isNewer(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 8 && bytes[..<7].elementsEqual(magic[..<7]) && (0x32...0x39).contains(bytes[7])
    }

    /// Nil where the bytes are damaged, or were written by something else.
    package static func snapshot(of bytes: [UInt8]) -> DefaultsSnapshot? {
        guard bytes.count >= headerBytes, bytes.count <= limit, Array(bytes[..<8]) == magic else { return nil }
        func number(at offset: Int) -> UInt64 { bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        let body = Array(bytes[headerBytes...])
        let generation = number(at: 8)
        guard generation <= lastGeneration, number(at: 16) == UInt64(body.count),
            number(at: 24) == checksum(body, generation: generation),
            let entries = try? PropertyListDecoder().decode([String: Data].self, from: Data(body))
        else { return nil }
        return DefaultsSnapshot(generation: generation, entries: entries)
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    private static func checksum(_ bytes: [UInt8], generation: UInt64) -> UInt64 {
        (bigEndian(generation) + bytes).reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
