// The thread that looks at the screen: it sleeps until something changed, draws only that, and hands pictures on.
import KineCapture
import KineImaging
import KineMedia
import KinePlatform
import KineRelay

/// Drives one `VideoSource` for the length of a take.
public final class CaptureThread: Sendable {
    /// What happens to the outside; all are called on the capture thread.
    public struct Output: Sendable {
        /// The source is open, and its picture's size to show is known: what the slots are to be. Called once, before `opened`.
        public var slots: @Sendable (PixelSize) throws(VideoSourceError) -> Slots
        /// The slots are there. Called once, before any picture; returns where pictures go.
        public var opened: @Sendable (_ canvas: CanvasDescription) throws(VideoSourceError) -> PictureOutlet
        /// The first picture was taken at this monotonic instant: time zero.
        public var began: @Sendable (_ instant: Int64) -> Void
        /// The thread is over: nil after `stop`, else why.
        public var ended: @Sendable (VideoSourceError?) -> Void

        public init(
            slots: @escaping @Sendable (PixelSize) throws(VideoSourceError) -> Slots = { _ in Slots() },
            opened: @escaping @Sendable (CanvasDescription) throws(VideoSourceError) -> PictureOutlet,
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

    /// What those who take pictures have to know of them.
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

    fileprivate struct Control {
        var isStopping = false
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
    private let thread: DedicatedThread

    /// Opens the source in the new thread and begins. `makeSource` is called there.
    public init(
        configuration: TakeConfiguration, clock: TakeClock,
        makeSource: @escaping @Sendable () throws(VideoSourceError) -> any VideoSource, output: Output
    ) {
        let video = configuration.video
        let control = Monitor(
            Control(grid: FrameGrid(framesPerSecond: video.framesPerSecond, isConstant: video.constantFrameRate)))
        self.control = control
        thread = DedicatedThread(name: "capture") {
            do throws(VideoSourceError) {
                let source = try makeSource()
                let loop = try CaptureLoop(
                    source: source, configuration: configuration, clock: clock, control: control, output: output)
                try loop.run()
                output.ended(nil)
            } catch {
                output.ended(error)
            }
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

    /// Ends the thread and waits for it.
    public func stop() {
        change { $0.isStopping = true }
        thread.join()
    }

    private func change(_ body: (inout Control) -> Void) {
        let interrupt = control.signal { control -> (@Sendable () -> Void)? in
            body(&control)
            return control.interrupt
        }
        interrupt?()
    }
}

/// The loop itself, with the state that only the capture thread touches.
private final class CaptureLoop {
    /// How long a picture stands before it is repeated for those who watch, in nanoseconds.
    private static let keepAliveInterval: Int64 = 950_000_000
    /// How often a paused take looks after its source, in nanoseconds.
    private static let pausedInterval: Int64 = 2_000_000_000

    private let source: any VideoSource
    private let canvas: Canvas
    private let outlet: PictureOutlet
    private let clock: TakeClock
    private let control: Monitor<CaptureThread.Control>
    private let output: CaptureThread.Output
    private let optimizations: TakeConfiguration.Optimizations
    private let isConstantRate: Bool
    private var pacer: FramePacer
    private var trust: DamageTrust
    /// What changed and was not drawn yet.
    private var pending: DamageRegion
    private var hasBegun = false
    private var wasPaused = false
    private var mustRepeat = false
    /// When it has to be repeated, where that is asked for a later moment.
    private var repeatAt: Int64?
    /// When the last picture was handed on.
    private var lastDelivery: Int64 = .min
    /// How far the machine's clock was ahead of the take's at the last look.
    private var clockOffset: Int64 = 0
    /// At a constant rate, when the next picture is due on the take's clock.
    private var nextFrame: MediaTime?

    init(
        source: any VideoSource, configuration: TakeConfiguration, clock: TakeClock,
        control: Monitor<CaptureThread.Control>, output: CaptureThread.Output
    ) throws(VideoSourceError) {
        self.source = source
        self.clock = clock
        self.control = control
        self.output = output
        optimizations = configuration.optimizations
        isConstantRate = configuration.video.constantFrameRate
        pacer = FramePacer(framesPerSecond: configuration.video.framesPerSecond)
        let size = configuration.video.size ?? source.size
        let slots = try output.slots(size)
        canvas = Canvas(size: size, sourceSize: source.size, slotCount: slots.count, memory: slots.memory)
        pending = .full(size: source.size)
        trust = DamageTrust(rows: pending.rows, now: MonotonicClock.now())
        let interrupt = source.interrupter
        control.withLock { $0.interrupt = interrupt }
        let loans = canvas.loans
        outlet = try output.opened(
            CaptureThread.CanvasDescription(size: canvas.size, codedSize: canvas.codedSize, loans: loans) { picture in
                loans.release(picture.slot)
                if control.withLock({ $0.needsSlot }) { interrupt() }
            })
    }

    func run() throws(VideoSourceError) {
        while true {
            let (stopping, paused) = control.withLock { control in
                mustRepeat = mustRepeat || control.wantsRepeat
                control.wantsRepeat = false
                if let later = control.repeatAt.take() { repeatAt = min(repeatAt ?? .max, later) }
                return (control.isStopping, control.isPaused)
            }
            if stopping { return }
            if paused {
                wasPaused = true
                _ = try source.wait(until: MonotonicClock.now() + Self.pausedInterval, ignoringChanges: true)
                // What the source reports must not gather at its server for hours, and it may have come to its end.
                _ = try gatherDamage()
                continue
            }
            if wasPaused {
                wasPaused = false
                pending.insertAll()
                let offset = clockOffset(at: MonotonicClock.now())
                pacer.delay(by: offset - clockOffset)
                clockOffset = offset
            }
            noteRepeat()
            guard mustRepeat ? true : try sleepUntilNextPicture() else { continue }
            noteRepeat()
            try takePicture()
        }
    }

    /// When the picture is next shown again although it stands still.
    private var nextRepeat: Int64 {
        let keepAlive = hasBegun && outlet.isWatched ? lastDelivery + Self.keepAliveInterval : .max
        return min(repeatAt ?? .max, keepAlive)
    }

    private func noteRepeat() {
        let now = MonotonicClock.now()
        guard now >= nextRepeat else { return }
        mustRepeat = true
        if let repeatAt, now >= repeatAt { self.repeatAt = nil }
    }

    /// Sleeps until there may be something to draw and the frame rate allows it. False where something else came up.
    private func sleepUntilNextPicture() throws(VideoSourceError) -> Bool {
        let everyInterval = isConstantRate || !optimizations.damage || !optimizations.skipUnchanged
        if hasBegun && !everyInterval && pending.isEmpty && !trust.isSuspicious(at: MonotonicClock.now()) {
            switch try source.wait(until: min(trust.deadline, nextRepeat), ignoringChanges: false) {
            case .interrupted: return false
            case .changed, .deadline: break
            }
        }
        let earliest = nextFrame.map { $0.nanoseconds + clockOffset } ?? pacer.earliest
        while hasBegun, MonotonicClock.now() < earliest {
            if try source.wait(until: earliest, ignoringChanges: true) == .interrupted,
                control.withLock({ $0.isStopping || $0.isPaused })
            {
                return false
            }
        }
        return true
    }

    private func takePicture() throws(VideoSourceError) {
        outlet.reclaim()
        guard canvas.begin() else {
            // The encoder holds every slot. Nothing is read meanwhile: the X server gathers the damage.
            // Each interval that goes by like this is a picture lost.
            control.withLock {
                $0.counts.dropped += 1
                $0.needsSlot = true
            }
            try waitForSlot()
            return
        }
        let reported = try gatherDamage()
        let now = MonotonicClock.now()
        let look = optimizations.damage ? trust.look(at: now) : .all
        switch look {
        case .all: pending.insertAll()
        case .strips(let rows):
            for row in rows { pending.insert(PixelRect(x: 0, y: row * 16, width: source.size.width, height: 16)) }
        case nil: break
        }
        let canvas = canvas
        try source.read(pending) { rect, pixels, stride in canvas.draw(rect, pixels: pixels, stride: stride) }
        pending.removeAll()
        pacer.took(at: now)
        defer { clockOffset = clockOffset(at: now) }
        let repeats = isConstantRate || !optimizations.skipUnchanged || mustRepeat
        mustRepeat = false
        guard let picture = canvas.commit(evenIfUnchanged: repeats) else {
            if look == nil || !reported.isEmpty { control.withLock { $0.counts.unchanged += 1 } }
            return
        }
        try checkTrust(look: look, reported: reported, changed: picture.changed, now: now)
        deliver(picture, now: now)
    }

    private func waitForSlot() throws(VideoSourceError) {
        defer { control.withLock { $0.needsSlot = false } }
        // One may have become free before it was known that capture waits: then nobody wakes it.
        if canvas.hasFreeSlot { return }
        _ = try source.wait(until: MonotonicClock.now() + pacer.interval, ignoringChanges: true)
    }

    /// Adds what the source reports to `pending`, and returns it. A new size of the source makes everything pending.
    private func gatherDamage() throws(VideoSourceError) -> DamageRegion {
        let reported = try source.takeDamage()
        if reported.size != pending.size {
            canvas.changeSource(to: reported.size)
            pending = .full(size: reported.size)
            trust = DamageTrust(rows: pending.rows, now: MonotonicClock.now())
            return pending
        }
        pending.formUnion(reported)
        return pending
    }

    /// A strip that changed although nothing was reported there, and nothing is now, was painted behind the server's back.
    private func checkTrust(
        look: DamageTrust.Look?, reported: DamageRegion, changed: DamageRegion, now: Int64
    ) throws(VideoSourceError) {
        guard hasBegun, case .strips = look else { return }
        if changed.size == reported.size {
            var unreported = changed
            unreported.subtract(reported)
            guard !unreported.isEmpty else { return }
        } else if !reported.isEmpty {
            return
        }
        // What was painted between the report and the read is reported by now.
        if try source.wait(until: MonotonicClock.now(), ignoringChanges: false) == .deadline {
            trust.foundUnreported(at: now)
        }
    }

    private func deliver(_ picture: PictureRing.Picture, now: Int64) {
        if !hasBegun {
            hasBegun = true
            clock.begin(at: now)
            output.began(now)
        }
        lastDelivery = now
        let time = clock.mediaTime(at: now)
        let placed = control.withLock { control in
            let placed = control.grid.place(time)
            control.counts.drawn += 1 + placed.repeats.count
            nextFrame = control.grid.next
            return placed
        }
        outlet.take(picture, at: placed.time, repeats: placed.repeats)
    }

    private func clockOffset(at instant: Int64) -> Int64 { instant - clock.mediaTime(at: instant).nanoseconds }
}
