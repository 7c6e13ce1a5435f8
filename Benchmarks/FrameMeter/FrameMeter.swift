// Notes when frames reach a handler, in an extension and in an app, and gives an account of it.
import Glibc
import KineMedia
import KineRings
import SystemPackage

/// The frames that a handler was lent, and what the process needed for them.
public struct FrameMeter {
    private struct Arrival {
        let presentationTime: Int64
        /// CLOCK_MONOTONIC when the handler was entered.
        let instant: Int64
        /// What the frame's barcode says; -1 where there is none.
        let frame: Int
    }

    private let readsAll: Bool
    private var arrivals: [Arrival] = []
    private var begin: Int64 = 0
    private var sum: UInt64 = 0
    private var placement = "nowhere"

    /// - Parameter readsAll: every byte of every frame is read, as an encoder would.
    public init(readsAll: Bool) {
        self.readsAll = readsAll
        arrivals.reserveCapacity(8192)
    }

    /// - Parameter now: CLOCK_MONOTONIC when the handler was entered.
    public mutating func note(_ frame: borrowing SampleBuffer, at now: Int64) {
        let isFirst = arrivals.isEmpty
        if isFirst { begin = Self.processorTime() }
        let time = frame.presentationTime.nanoseconds
        let readsAll = readsAll
        let seen = frame.withPixels { pixels in
            let luma = pixels[plane: 0]
            var sum: UInt64 = 0
            if readsAll { for plane in 0..<pixels.planeCount { sum &+= Self.sum(of: pixels[plane: plane]) } }
            return (
                number: FrameNumber.read(luma), sum: sum,
                placement: isFirst
                    ? luma.row(0).withUnsafeBufferPointer { $0.baseAddress.map { SharedMapping.kind(of: $0) } } : nil
            )
        }
        guard let seen else { return }
        arrivals.append(Arrival(presentationTime: time, instant: now, frame: seen.number))
        sum &+= seen.sum
        if let kind = seen.placement { placement = kind }
    }

    /// The account, a line for each figure.
    ///
    /// - Parameter notes: further lines, each a name and a value.
    public func report(notes: [String] = []) -> String {
        let lines = [
            "frames \(max(0, arrivals.count - 1))", "processor \(Self.processorTime() - begin)", "moved 0",
            "peak \(Self.peak())", "placement \(placement)", "sum \(sum)",
            "arrivals "
                + arrivals.map { "\($0.presentationTime) \($0.instant) \($0.frame)" }.joined(separator: " "),
        ]
        return (lines + notes + ["delays"]).joined(separator: "\n") + "\n"
    }

    /// Writes the account to a file.
    public func write(to path: String) {
        let file = try? FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
        _ = try? file?.writeAll(report().utf8)
        try? file?.close()
    }

    private static func sum(of plane: PixelBuffer.Plane) -> UInt64 {
        var sum: UInt64 = 0
        for row in 0..<plane.rows {
            let bytes = plane.row(row).bytes
            for offset in stride(from: 0, to: bytes.byteCount & ~7, by: 8) {
                sum &+= bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            }
        }
        return sum
    }

    private static func processorTime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The most bytes that were ever resident.
    private static func peak() -> Int {
        for line in SmallFile.lines("/proc/self/status") where line.hasPrefix("VmHWM:") {
            return (Int(line.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0) * 1024
        }
        return 0
    }
}

/// The number that the bench's scenes write into their frames, read with thirty-two looks. KineMeasure's Barcode says how it
/// is written and reads it more carefully, from recordings; here nothing was compressed.
enum FrameNumber {
    private static let corner = 16
    private static let cell = 16
    private static let columns = 16
    private static let dataBits = 24
    private static let checkBits = 6

    /// The number in a frame's luma; -1 where there is none.
    static func read(_ luma: PixelBuffer.Plane) -> Int {
        guard luma.rows >= corner + 2 * cell, luma.rowBytes >= corner + columns * cell else { return -1 }
        var bits = 0
        for index in 0..<2 + dataBits + checkBits {
            let x = corner + index % columns * cell + cell / 2
            let y = corner + index / columns * cell + cell / 2
            let level = luma.row(y)[x]
            guard level < 40 || level > 210 else { return -1 }
            bits = bits << 1 | (level > 125 ? 1 : 0)
        }
        // A white and a black square come first.
        guard bits >> (dataBits + checkBits) == 0b10 else { return -1 }
        let number = bits >> checkBits & (1 << dataBits - 1)
        return (number &* 37 + 11) % 61 == bits & (1 << checkBits - 1) ? number : -1
    }
}

/// Whether a frame that a handler sees lies in the engine's own memory: then nothing copied it on the way.
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
