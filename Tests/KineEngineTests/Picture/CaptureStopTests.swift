// A take ends also when its source does not: one that no longer answers, or never lets anybody in.
import KineCapture
import KineCodecs
import KineControl
import KineMedia
import KinePlatform
import Testing

@testable import KineEngine

@Suite struct CaptureStopTests {
    /// Whether somebody is held up, and may go on.
    private struct Gate {
        var isReached = false
        var isOpen = false
    }

    /// A source whose pixels never come before the gate opens.
    private final class StuckSource: VideoSource {
        let size = PixelSize(width: 64, height: 64)
        private let gate: Monitor<Gate>
        init(_ gate: Monitor<Gate>) { self.gate = gate }

        var interrupter: @Sendable () -> Void { {} }
        func wait(until deadline: Int64?, ignoringChanges: Bool) throws(VideoSourceError) -> VideoSourceWake {
            .changed
        }
        func takeDamage() throws(VideoSourceError) -> DamageRegion { .full(size: size) }
        func read(
            _ region: DamageRegion, _ body: (PixelRect, UnsafeRawPointer, Int) -> Void
        ) throws(VideoSourceError) {
            CaptureStopTests.hold(gate)
            throw .lost("the connection was closed")
        }
    }

    private static func hold(_ gate: Monitor<Gate>) {
        gate.signal { $0.isReached = true }
        _ = gate.wait { $0.isOpen ? true : nil }
    }

    private func capture(
        _ gate: Monitor<Gate>, _ cancellation: Cancellation, patience: Int64, ended: Monitor<Bool>,
        opening: @escaping @Sendable () -> Void = {}
    ) -> CaptureThread {
        var configuration = TakeConfiguration(source: .screen(monitor: nil), output: nil)
        configuration.video.framesPerSecond = 100
        let settings = configuration
        return CaptureThread(
            configuration: configuration, clock: TakeClock(), cancellation: cancellation, patience: patience,
            makeSource: {
                opening()
                return StuckSource(gate)
            },
            output: CaptureThread.Output(
                opened: { canvas in
                    FrameDistributor(
                        encoding: VideoEncodingThread(
                            plan: EncodingPlan(settings, services: [], size: canvas.codedSize),
                            keyframes: KeyframePolicy(interval: .seconds(10), frames: nil), isWanted: false,
                            output: VideoEncodingThread.Output(
                                release: canvas.release, sample: { _, _ in Issue.record("a picture came") },
                                failed: { Issue.record("\($0)") })),
                        framesPerSecond: 100, canvas: canvas)
                }, began: { _ in Issue.record("it began") }, ended: { _ in ended.signal { $0 = true } }))
    }

    @Test func `a source that does not answer is cut off, and the thread ends`() {
        let gate = Monitor(Gate())
        let cancellation = Cancellation()
        // What shutting the socket of an X connection does.
        _ = cancellation.onCancel { gate.signal { $0.isOpen = true } }
        let ended = Monitor(false)
        let capture = capture(gate, cancellation, patience: 60_000_000_000, ended: ended)
        _ = gate.wait { $0.isReached ? true : nil }
        let impatient = DedicatedThread(name: "impatient") { cancellation.cancel() }
        capture.stop()
        impatient.join()
        #expect(ended.withLock { $0 })
    }

    @Test func `where even that does not help, stopping goes on without it`() {
        let gate = Monitor(Gate())
        let cancellation = Cancellation()
        let ended = Monitor(false)
        let capture = capture(gate, cancellation, patience: 1_000_000, ended: ended)
        _ = gate.wait { $0.isReached ? true : nil }
        capture.stop()
        #expect(cancellation.isCancelled)
        #expect(!ended.withLock { $0 })
        gate.signal { $0.isOpen = true }
        _ = ended.wait { $0 ? true : nil }
    }

    @Test func `a source that is still being opened is cut off at once`() {
        let (gate, door) = (Monitor(Gate()), Monitor(Gate()))
        let cancellation = Cancellation()
        _ = cancellation.onCancel { door.signal { $0.isOpen = true } }
        let ended = Monitor(false)
        let capture = capture(
            gate, cancellation, patience: 60_000_000_000, ended: ended, opening: { Self.hold(door) })
        _ = door.wait { $0.isReached ? true : nil }
        capture.stop()
        #expect(ended.withLock { $0 })
        #expect(!gate.withLock { $0.isReached })
    }

    /// A screen that changes its size while it is looked at: the first reads show nothing.
    private final class LateSource: VideoSource {
        let size = PixelSize(width: 64, height: 64)
        private var reads = 0
        private let wake = WakeSignal()
        private let pixels = [UInt32](repeating: 0xff_ffff, count: 64 * 64)

        var readWasComplete: Bool { reads > 3 }
        var interrupter: @Sendable () -> Void {
            let wake = wake
            return { wake.signal() }
        }
        func wait(until deadline: Int64?, ignoringChanges: Bool) throws(VideoSourceError) -> VideoSourceWake {
            if WakeSignal.poll([wake.descriptor], until: deadline)[0] {
                wake.clear()
                return .interrupted
            }
            return .deadline
        }
        func takeDamage() throws(VideoSourceError) -> DamageRegion { DamageRegion(size: size) }
        func read(
            _ region: DamageRegion, _ body: (PixelRect, UnsafeRawPointer, Int) -> Void
        ) throws(VideoSourceError) {
            reads += 1
            guard readWasComplete else { return }
            pixels.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                for rect in region.rectangles() { body(rect, base + (rect.y * 64 + rect.x) * 4, 64 * 4) }
            }
        }
    }

    @Test func `the first picture is never one that could not be read`() {
        let lumas = Monitor<[UInt8]>([])
        let configuration = TakeConfiguration(source: .screen(monitor: nil), output: nil)
        let outlets = Monitor<FrameDistributor?>(nil)
        let capture = CaptureThread(
            configuration: configuration, clock: TakeClock(), makeSource: { LateSource() },
            output: CaptureThread.Output(
                opened: { canvas in
                    let outlet = FrameDistributor(
                        encoding: VideoEncodingThread(
                            plan: EncodingPlan(configuration, services: [], size: canvas.codedSize),
                            keyframes: KeyframePolicy(interval: .seconds(10), frames: nil),
                            output: VideoEncodingThread.Output(
                                release: { picture in
                                    let luma = picture.planes.y[0]
                                    lumas.signal { $0.append(luma) }
                                    canvas.release(picture)
                                }, sample: { _, _ in }, failed: { Issue.record("\($0)") })),
                        framesPerSecond: 30, canvas: canvas)
                    outlets.signal { $0 = outlet }
                    return outlet
                }, began: { _ in }, ended: { _ in }))
        _ = lumas.wait { $0.isEmpty ? nil : true }
        capture.stop()
        outlets.withLock { $0 }?.finish()
        #expect(lumas.withLock { $0.first } == 235)  // white, BT.709 limited
    }
}
