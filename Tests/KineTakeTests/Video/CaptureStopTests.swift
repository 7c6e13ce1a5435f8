// A take ends even when its source does not answer any more, or is never open.
import CoreTesting
import KineCapture
import KineCodecs
import KineMedia
import KinePlatform
import KineX11
import Testing

@testable import KineTake

@Suite struct CaptureStopTests {
    /// Whether a thread has got to a place, and may go on.
    private struct Gate {
        var isReached = false
        var isOpen = false
    }

    /// A source whose pixels never come before the gate opens.
    private final class StuckSource: VideoSource {
        let size = PixelSize(width: 64, height: 64)
        private let gate: Monitor<Gate>
        init(_ gate: Monitor<Gate>) { self.gate = gate }

        let descriptor: Int32 = -1
        func processEvents() throws(VideoSourceError) -> Bool { true }
        func addDamage(to damage: inout DamageRegion) throws(VideoSourceError) { damage.insertAll() }
        func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool {
            CaptureStopTests.hold(gate)
            throw .serverLost
        }
    }

    private static func hold(_ gate: Monitor<Gate>) {
        gate.signal { $0.isReached = true }
        _ = gate.wait { $0.isOpen ? true : nil }
    }

    private func capture(
        _ gate: Monitor<Gate>, _ cancellation: Cancellation, timeout: Int64, frames: FrameCollector,
        opening: (@Sendable () -> any VideoSourceOpening)? = nil
    ) -> CaptureThread {
        CaptureThread(
            configuration: Self.configuration, clock: TakeClock(), cancellation: cancellation, timeout: timeout,
            delegate: frames, observer: TakeEvents(), open: opening ?? { ImmediateOpening { StuckSource(gate) } })
    }

    private static let configuration = TakeConfiguration(source: .screen(monitor: nil), output: nil)

    /// No frame of a source that is stuck can come.
    private func expectEnd(_ frames: FrameCollector, sourceLocation: SourceLocation = #_sourceLocation) {
        let seen = frames.seen.withLock { $0 }
        #expect(seen.ended != nil && seen.samples.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func `a source that does not answer is cut off, and the thread ends`() {
        let gate = Monitor(Gate())
        let cancellation = Cancellation()
        // Shutting the socket of an X connection does the same.
        _ = cancellation.onCancel { gate.signal { $0.isOpen = true } }
        let frames = FrameCollector(Self.configuration, isRecorded: false)
        let capture = capture(gate, cancellation, timeout: 60_000_000_000, frames: frames)
        _ = gate.wait { $0.isReached ? true : nil }
        let impatient = DedicatedThread(name: "impatient") { cancellation.cancel() }
        capture.stop()
        impatient.join()
        expectEnd(frames)
    }

    @Test func `where even that does not help, stopping goes on without it`() {
        let gate = Monitor(Gate())
        let cancellation = Cancellation()
        let frames = FrameCollector(Self.configuration, isRecorded: false)
        let capture = capture(gate, cancellation, timeout: 1_000_000, frames: frames)
        _ = gate.wait { $0.isReached ? true : nil }
        capture.stop()
        #expect(cancellation.isCancelled)
        #expect(frames.seen.withLock { $0.ended } == nil)
        gate.signal { $0.isOpen = true }
        _ = frames.seen.wait { $0.ended }
        expectEnd(frames)
    }

    @Test func `a source that is still being opened is cut off at once`() {
        let (gate, door) = (Monitor(Gate()), Monitor(Gate()))
        let cancellation = Cancellation()
        _ = cancellation.onCancel { door.signal { $0.isOpen = true } }
        let frames = FrameCollector(Self.configuration, isRecorded: false)
        let capture = capture(
            gate, cancellation, timeout: 60_000_000_000, frames: frames,
            opening: {
                ImmediateOpening {
                    Self.hold(door)
                    return StuckSource(gate)
                }
            })
        _ = door.wait { $0.isReached ? true : nil }
        capture.stop()
        expectEnd(frames)
        #expect(!gate.withLock { $0.isReached })
    }

    /// A person is asked, and never answers.
    private final class UnansweredOpening: VideoSourceOpening {
        let descriptor: Int32 = -1
        private let asked: Monitor<Bool>
        init(_ asked: Monitor<Bool>) { self.asked = asked }

        func processEvents() throws(VideoSourceError) -> (any VideoSource)? {
            asked.signal { $0 = true }
            return nil
        }
    }

    @Test func `an opening that never ends does not keep the thread`() {
        let (gate, asked) = (Monitor(Gate()), Monitor(false))
        let frames = FrameCollector(Self.configuration, isRecorded: false)
        let capture = capture(
            gate, Cancellation(), timeout: WaitLimit.nanoseconds, frames: frames, opening: { UnansweredOpening(asked) })
        _ = asked.wait { $0 ? true : nil }
        capture.stop()
        expectEnd(frames)
    }

    /// It opens at the third event.
    private final class SlowOpening: VideoSourceOpening {
        private let wake: WakeSignal
        private let asked: Monitor<Int>
        private let gate: Monitor<Gate>
        init(_ wake: WakeSignal, _ asked: Monitor<Int>, _ gate: Monitor<Gate>) {
            (self.wake, self.asked, self.gate) = (wake, asked, gate)
        }

        var descriptor: Int32 { wake.descriptor }
        func processEvents() throws(VideoSourceError) -> (any VideoSource)? {
            wake.clear()
            let count = asked.signal { count -> Int in
                count += 1
                return count
            }
            return count < 3 ? nil : StuckSource(gate)
        }
    }

    @Test func `a source that opens step by step is waited for by its descriptor`() {
        let (gate, asked, wake) = (Monitor(Gate()), Monitor(0), WakeSignal())
        let frames = FrameCollector(Self.configuration, isRecorded: false)
        let cancellation = Cancellation()
        _ = cancellation.onCancel { gate.signal { $0.isOpen = true } }
        let capture = capture(
            gate, cancellation, timeout: 1_000_000, frames: frames, opening: { SlowOpening(wake, asked, gate) })
        for step in 1...2 {
            _ = asked.wait { $0 >= step ? true : nil }
            wake.signal()
        }
        _ = gate.wait { $0.isReached ? true : nil }
        capture.stop()
        #expect(asked.withLock { $0 } == 3)
    }

    /// A screen that changes its size while it is read: the first reads fail.
    private final class LateSource: VideoSource {
        let size = PixelSize(width: 64, height: 64)
        private var reads = 0
        private let pixels = [UInt32](repeating: 0xff_ffff, count: 64 * 64)

        let descriptor: Int32 = -1
        func processEvents() throws(VideoSourceError) -> Bool { false }
        func addDamage(to damage: inout DamageRegion) throws(VideoSourceError) {}
        func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool {
            reads += 1
            guard reads > 3 else { return false }
            pixels.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                for rect in region.rectangles() {
                    let first = base + (rect.y * 64 + rect.x) * 4
                    receive(FramePart(rect: rect, pixels: first, stride: 64 * 4))
                }
            }
            return true
        }
    }

    @Test func `the first frame is never one that could not be read`() {
        let lumas = Monitor<[UInt8]>([])
        let frames = FrameCollector(Self.configuration) { frame in
            let luma = frame.planes.y[0]
            lumas.signal { $0.append(luma) }
        }
        let capture = CaptureThread(
            configuration: Self.configuration, clock: TakeClock(), delegate: frames, observer: TakeEvents()
        ) { ImmediateOpening { LateSource() } }
        _ = lumas.wait { $0.isEmpty ? nil : true }
        frames.stop(capture)
        #expect(lumas.withLock { $0.first } == 235)  // white, BT.709 limited
    }
}
