// The thread that captures: it opens a source, sleeps until something changed, reads only that, and hands frames on.
import KineCapture
import KineControl
import KineImaging
import KineMedia
import KinePlatform
import SystemPackage

/// Drives one `VideoSource` for the length of a take.
final class CaptureThread: Sendable {
    /// What others are told; all are called on the capture thread.
    struct Output: Sendable {
        /// The source is open, and the size to show is known: returns the slots to use. Called once, before `opened`.
        var slots: @Sendable (PixelSize) throws(VideoSourceError) -> Slots = { _ in Slots() }
        /// The slots are there. Called once, before any frame; returns where frames go.
        var opened: @Sendable (_ canvas: CanvasDescription) throws(VideoSourceError) -> FrameDistributor
        /// The first frame was captured at this instant of CLOCK_MONOTONIC: time zero.
        var began: @Sendable (_ instant: Int64) -> Void
        /// The thread is over: nil after `stop`, else why.
        var ended: @Sendable (VideoSourceError?) -> Void
    }

    /// The memory that frames are drawn in.
    struct Slots {
        var count = 3
        /// nil: memory of the take's own.
        var memory: FrameRing.Memory?
    }

    /// What readers of frames have to know of them.
    struct CanvasDescription: Sendable {
        /// To show, in pixels; may be odd.
        let size: PixelSize
        /// As coded: both sides even.
        let codedSize: PixelSize
        /// The readers of each slot.
        let loans: SlotLoans
        /// Gives a frame's slot back, and wakes capture where it waits for one; from any thread.
        let release: @Sendable (FrameRing.Frame) -> Void
    }

    /// Counts for the progress line.
    struct Counts: Sendable, Equatable {
        var drawn = 0
        var unchanged = 0
        var dropped = 0
    }

    /// What the capture thread and others share.
    struct Control {
        var isStopping = false
        var isOpen = false
        /// The thread is over.
        var hasEnded = false
        /// The source keeps the thread, and the take ended without it: nothing is handed on any more.
        var isAbandoned = false
        var isPaused = false
        /// When the frame must be shown once more although nothing changed, on CLOCK_MONOTONIC.
        var repeatAt: Int64 = .max
        /// The encoder has every slot, and capture waits for one.
        var needsSlot = false
        var counts = Counts()
        var grid: FrameGrid
    }

    private let control: Monitor<Control>
    private let wake = WakeSignal()
    private let cancellation: Cancellation
    private let patience: Int64
    /// Nil where the process may have no more threads: `ended` was then called with that reason.
    private let thread: DedicatedThread?

    /// Opens the source in the new thread and begins. `open` is called there.
    ///
    /// - Parameters:
    ///   - cancellation: ends whatever the source waits for while it is opened or read; cancelled by `stop` where it does not
    ///     end by itself.
    ///   - patience: nanoseconds that `stop` gives it.
    init(
        configuration: TakeConfiguration, clock: TakeClock, cancellation: Cancellation = Cancellation(),
        patience: Int64 = 2_000_000_000,
        open: @escaping @Sendable () throws(VideoSourceError) -> any VideoSourceOpening, output: Output
    ) {
        let video = configuration.video
        let control = Monitor(
            Control(grid: FrameGrid(framesPerSecond: video.framesPerSecond, isConstant: video.constantFrameRate)))
        let wake = wake
        self.control = control
        self.cancellation = cancellation
        self.patience = patience
        do throws(Errno) {
            thread = try DedicatedThread(starting: "capture") {
                defer { control.signal { $0.hasEnded = true } }
                do throws(VideoSourceError) {
                    if let source = try Self.finish(try open(), control, wake) {
                        control.withLock { $0.isOpen = true }
                        // The type is opened here: nothing is called through an existential for each frame.
                        try Self.capture(source, configuration, clock, control, wake, output)
                    }
                    output.ended(nil)
                } catch {
                    output.ended(error)
                }
            }
        } catch {
            thread = nil
            control.withLock { $0.hasEnded = true }
            output.ended(.noThread(name: "capture", error))
        }
    }

    /// Waits until the source is open, however long that takes. Nil where the take ends before.
    private static func finish(
        _ opening: any VideoSourceOpening, _ control: Monitor<Control>, _ wake: WakeSignal
    ) throws(VideoSourceError) -> (any VideoSource)? {
        var waiter = SourceWaiter(wake: wake, descriptors: [opening.descriptor])
        while true {
            let source = try opening.processEvents()
            if control.withLock({ $0.isStopping }) { return nil }
            if let source { return source }
            waiter.wait(until: nil, for: .sources)
        }
    }

    private static func capture(
        _ source: some VideoSource, _ configuration: TakeConfiguration, _ clock: TakeClock,
        _ control: Monitor<Control>, _ wake: WakeSignal, _ output: Output
    ) throws(VideoSourceError) {
        try CaptureLoop(
            source: source, configuration: configuration, clock: clock, control: control, wake: wake, output: output
        ).run()
    }

    var counts: Counts { control.withLock { $0.counts } }

    /// When the last frame ends in a take that ends at `time`. Ask after `stop`.
    func end(of time: MediaTime) -> MediaTime { control.withLock { $0.grid.end(time) } }

    /// Captures nothing until `resume`. The caller pauses the clock before.
    func pause() { change { $0.isPaused = true } }
    func resume() { change { $0.isPaused = false } }

    /// Has the frame shown once more although nothing changed, now or at an instant of CLOCK_MONOTONIC.
    func repeatFrame(at instant: Int64 = .min) { change { $0.repeatAt = min($0.repeatAt, instant) } }

    /// Ends the thread and waits for it. A source that does not answer is cut off after the patience, or at once where it is
    /// not open yet; where even that does not help, the thread is left behind.
    func stop() {
        let isOpen = change { control in
            control.isStopping = true
            return control.isOpen
        }
        if isOpen, hasEnded(within: patience) { return join() }
        cancellation.cancel()
        if hasEnded(within: patience) { return join() }
        control.withLock { $0.isAbandoned = true }
    }

    private func join() { thread?.join() }

    private func hasEnded(within patience: Int64) -> Bool {
        control.wait(until: MonotonicClock.now() + patience) { $0.hasEnded ? true : nil } ?? false
    }

    private func change<Result>(_ body: (inout Control) -> Result) -> Result {
        defer { wake.signal() }
        return control.signal(body)
    }
}
