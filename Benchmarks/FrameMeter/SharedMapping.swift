// Whether a frame that a handler sees lies in the engine's own memory: then nothing copied it on the way.
import SystemPackage

enum SharedMapping {
    /// The name of the file that is mapped where `address` lies, and how: `r--s /memfd:…` for shared memory that this process
    /// can only read. See proc(5).
    static func kind(of address: UnsafeRawPointer) -> String {
        let number = UInt(bitPattern: address)
        for line in SmallFile.lines("/proc/self/maps") {
            let fields = line.split(separator: " ", maxSplits: 5)
            let range = fields[0].split(separator: "-")
            guard fields.count > 1, range.count == 2, let low = UInt(range[0], radix: 16),
                let high = UInt(range[1], radix: 16), (low..<high).contains(number)
            else { continue }
            return "\(fields[1]) \(fields.count > 5 ? fields[5].drop { $0 == " " } : "anonymous")"
        }
        return "nowhere"
    }
}

enum SmallFile {
    /// The lines of a file; none where it cannot be read.
    static func lines(_ path: String) -> [Substring] {
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly) else { return [] }
        defer { try? file.close() }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while let count = try? chunk.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}
