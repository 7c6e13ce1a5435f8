// kinecast-meter: an extension that measures. It takes uncompressed frames, notes when each reached its handler, and writes
// an account of itself when the broadcast is over. Nothing else of the package is in it, so that its memory is an extension's.
import Glibc
import KineMedia
import KinePlatform
import KinecastExtension
import SystemPackage

/// Setup fields: `report`, the file to write; `read`, "all" to read every byte of every frame, as an encoder would.
@main
final class Meter: BroadcastSampleHandler {
    private struct Arrival {
        let presentationTime: Int64
        /// CLOCK_MONOTONIC when the handler was entered.
        let instant: Int64
        /// What the frame's barcode says; -1 where there is none.
        let frame: Int
    }

    private var reportPath = ""
    private var readsAll = false
    private var arrivals: [Arrival] = []
    private var begin: Int64 = 0
    private var sum: UInt64 = 0
    private var placement = "nowhere"

    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        reportPath = setupInfo["report"] ?? ""
        readsAll = setupInfo["read"] == "all"
        arrivals.reserveCapacity(8192)
    }

    override func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {
        let now = MonotonicClock.now()
        guard sampleBufferType == .video else { return }
        if arrivals.isEmpty { begin = processorTime() }
        let time = sampleBuffer.presentationTime.nanoseconds
        let isFirst = arrivals.isEmpty
        sampleBuffer.withPixels { pixels in
            let luma = pixels[plane: 0]
            if isFirst { placement = SharedMapping.kind(of: luma.base) }
            arrivals.append(
                Arrival(
                    presentationTime: time, instant: now,
                    frame: FrameNumber.read(luma.base, stride: luma.stride, rows: luma.rows)))
            guard readsAll else { return }
            for plane in 0..<pixels.planeCount { sum &+= Self.sum(of: pixels[plane: plane]) }
        }
    }

    override func broadcastFinished() async {
        let processor = processorTime() - begin
        let lines = [
            "frames \(max(0, arrivals.count - 1))", "processor \(processor)", "moved 0", "peak \(peak())",
            "placement \(placement)", "sum \(sum)",
            "arrivals "
                + arrivals.map { "\($0.presentationTime) \($0.instant) \($0.frame)" }.joined(separator: " "),
            "delays",
        ]
        guard
            let file = try? FileDescriptor.open(
                FilePath(reportPath), .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
        else { return }
        _ = try? file.writeAll((lines.joined(separator: "\n") + "\n").utf8)
        try? file.close()
    }

    private static func sum(of plane: PixelBuffer.Plane) -> UInt64 {
        var sum: UInt64 = 0
        for row in 0..<plane.rows {
            let bytes = plane.row(row)
            for offset in stride(from: 0, to: bytes.count & ~7, by: 8) {
                sum &+= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            }
        }
        return sum
    }

    private func processorTime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The most bytes that were ever resident.
    private func peak() -> Int {
        for line in SmallFile.lines("/proc/self/status") where line.hasPrefix("VmHWM:") {
            return (Int(line.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0) * 1024
        }
        return 0
    }
}
