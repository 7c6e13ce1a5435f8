// The ways in which others bring frames to another process, beside which ours is measured.
import KineMeasure
import KineMedia
import Testing

@Suite struct TransferTests {
    @Test func `a report reads what it wrote`() throws {
        var report = TransferReport()
        report.frames = 3
        report.processorNanoseconds = 4_000_000
        report.movedBytes = 12
        report.highWaterBytes = 1 << 20
        report.delays = [5, 6, 7]
        report.notes["placement"] = "r--s /memfd:kinecast-frames (deleted)"
        #expect(TransferReport(report.text) == report)
    }

    @Test func `the report of a process that died is none`() {
        #expect(TransferReport("frames 3\nprocessor 4\n") == nil)
        #expect(TransferReport("") == nil)
    }

    @Test func `late frames are counted behind the warm-up`() {
        var report = TransferReport()
        report.delays = [Int64](repeating: 1_000_000_000, count: 30) + (1...100).map { Int64($0) * 1_000_000 }
        #expect(report.delayMilliseconds(0.5) == 50)
        #expect(report.delayMilliseconds(0.99) == 99)
        #expect(report.delayMilliseconds(1) == 100)
        #expect(TransferReport().delayMilliseconds(0.5).isNaN)
    }

    @Test func `prepared frames differ and come round again`() {
        let frames = PreparedFrames(size: PixelSize(width: 640, height: 480), count: 3)
        func luma(_ index: Int) -> [UInt8] {
            Array(UnsafeBufferPointer(start: frames[index].y, count: frames.size.area))
        }
        let first = luma(0)
        #expect(first != luma(1))
        #expect(first == luma(3))
        #expect(Barcode.read(LumaFrame(size: frames.size, pixels: luma(2))) == 2)
    }

    @Test func `the rhythm leaves out what is over before the last call returned`() {
        var frames: [Int] = []
        let rhythm = FrameRhythm.run(framesPerSecond: 100, seconds: 0.2) { frame in
            frames.append(frame)
            // Busy until two more are over.
            if frame == 5 { FrameRhythm.sleep(until: FrameRhythm.instant(after: 0.035)) }
        }
        #expect(frames.count + rhythm.skipped == 20)
        #expect(rhythm.skipped >= 2)
        #expect(frames == frames.sorted())
    }
}
