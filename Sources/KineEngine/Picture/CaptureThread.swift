// The thread that looks at the screen: it sleeps until something changed, draws only that, and hands pictures on.
import KineCapture
import KineControl
import KineImaging
import KineMedia
import KinePlatform
import SystemPackage

/// Drives one `VideoSource` for the length of a take.
public final class CaptureThread: Sendable {
    /// What happens to the outside; all are called on the capture thread.
    public struct Output: Sendable {
        /// The source is open, and its picture's size to show is known: what the slots are to be. Called once, before `opened`.
        public var slots: @Sendable (PixelSize) throws(VideoSourceError) -> Slots
        /// The slots are there. Called once, before any picture; returns where pictures go.
        public var opened: @Sendable (_ canvas: CanvasDescription) throws(VideoSourceError) -> FrameDistributor
        /// The first picture was taken at this monotonic instant: time zero.
        public var began: @Sendable (_ instant: Int64) -> Void
        /// The thread is over: nil after `stop`, else why.
        public var ended: @Sendable (VideoSourceError?) -> Void

        public init(
            slots: @escaping @Sendable (PixelSize) throws(VideoSourceError) -> Slots = { _ in Slots() },
            opened: @escaping @Sendable (CanvasDescription) throws(VideoSourceError) -> FrameDistributor,
            began: @escaping @Sendable (Int64) -> Void, ended: @escaping @Sendable (VideoSourceError?) -> Void
        ) {
            self.slots = slots
            self.opened = opened
            self.began = began
            self.ended = ended
        }
    }

    /// The memory that pictures are drawn in.
    public struct Slots {
        var count = 3
        /// nil: memory of the take's own.
        var memory: PictureRing.Memory?

        public init() {}
    }

    /// What readers of pictures have to know of them.
    public struct CanvasDescription: Sendable {
        /// To show, in pixels; may be odd.
        public let size: PixelSize
        /// As coded: both sides even.
        public let codedSize: PixelSize
        /// The readers of each slot.
        let loans: SlotLoans
        /// Gives a picture back, and wakes capture where it waits for one; from any thread.
        public let release: @Sendable (PictureRing.Picture) -> Void
    }

    /// Counts for the progress line.
    public struct Counts: Sendable, Equatable {
        public var drawn = 0
        public var unchanged = 0
        public var dropped = 0
    }

    /// What the capture thread and others share.
    struct Control {
        var isStopping = false
        /// The thread is over.
        var hasEnded = false
        /// The source keeps the thread, and the take ended without it: nothing is handed on any more.
        var isAbandoned = false
        var isPaused = false
        /// The picture must be shown once more although it stands still.
        var wantsRepeat = false
        /// The same at a later moment, on CLOCK_MONOTONIC.
        var repeatAt: Int64?
        /// The encoder has every slot, and capture waits for one.
        var needsSlot = false
        var interrupt: (@Sendable () -> Void)?
        var counts = Counts()
        var grid: FrameGrid
    }

    private let control: Monitor<Control>
    private let cancellation: Cancellation
    private let patience: Int64
    /// Nil where the process may have no more threads: the take is told so as of a source that cannot be opened.
    private let thread: DedicatedThread?

    /// Opens the source in the new thread and begins. `makeSource` is called there.
    ///
    /// - Parameters:
    ///   - cancellation: ends whatever `makeSource` or the source wait for; cancelled by `stop` where they do not end by
    ///     themselves.
    ///   - patience: nanoseconds that `stop` gives them.
    public init(
        configuration: TakeConfiguration, clock: TakeClock, cancellation: Cancellation = Cancellation(),
        patience: Int64 = 2_000_000_000,
        makeSource: @escaping @Sendable () throws(VideoSourceError) -> any VideoSource, output: Output
    ) {
        let video = configuration.video
        let control = Monitor(
            Control(grid: FrameGrid(framesPerSecond: video.framesPerSecond, isConstant: video.constantFrameRate)))
        self.control = control
        self.cancellation = cancellation
        self.patience = patience
        do throws(Errno) {
            thread = try DedicatedThread(starting: "capture") {
                defer { control.signal { $0.hasEnded = true } }
                do throws(VideoSourceError) {
                    let source = try makeSource()
                    if control.withLock({ $0.isStopping }) { return output.ended(nil) }
                    let loop = try CaptureLoop(
                        source: source, configuration: configuration, clock: clock, control: control, output: output)
                    try loop.run()
                    output.ended(nil)
                } catch {
                    output.ended(error)
                }
            }
        } catch {
            thread = nil
            control.withLock { $0.hasEnded = true }
            output.ended(.unavailable(DedicatedThread.explanation(of: error, thread: "capture")))
        }
    }

    public var counts: Counts { control.withLock { $0.counts } }

    /// When the last picture ends in a take that ends at `time`. Ask after `stop`.
    public func end(of time: MediaTime) -> MediaTime { control.withLock { $0.grid.end(time) } }

    /// Takes no pictures until `resume`. The clock is paused by the caller, before.
    public func pause() { change { $0.isPaused = true } }
    public func resume() { change { $0.isPaused = false } }

    /// Has the picture shown once more although it stands still, now or at an instant of CLOCK_MONOTONIC.
    public func repeatPicture(at instant: Int64 = .min) {
        let isDue = instant <= MonotonicClock.now()
        change { control in
            if isDue { control.wantsRepeat = true } else { control.repeatAt = min(control.repeatAt ?? .max, instant) }
        }
    }

    /// Ends the thread and waits for it. A source that does not answer is not waited for: after the patience it is cut off,
    /// at once where it is not open yet, and where even that does not help the thread is left to itself.
    public func stop() {
        change { $0.isStopping = true }
        let isOpen = control.withLock { $0.interrupt != nil }
        if isOpen, hasEnded(within: patience) { return join() }
        cancellation.cancel()
        if hasEnded(within: patience) { return join() }
        control.withLock { $0.isAbandoned = true }
    }

    private func join() { thread?.join() }

    private func hasEnded(within patience: Int64) -> Bool {
        control.wait(until: MonotonicClock.now() + patience) { $0.hasEnded ? true : nil } ?? false
    }

    private func change(_ body: (inout Control) -> Void) {
        let interrupt = control.signal { control -> (@Sendable () -> Void)? in
            body(&control)
            return control.interrupt
        }
        interrupt?()
    }
}
