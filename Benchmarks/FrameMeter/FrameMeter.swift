// Notes when frames reach a handler, in an extension and in an app, and gives an account of it.
import Glibc
import KineMedia
import KinePlatform
import KineRings

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
