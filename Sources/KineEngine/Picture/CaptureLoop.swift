// What the capture thread does: it waits until something changed, draws only that, and hands the picture on.
import KineCapture
import KineControl
import KineImaging
import KineMedia
import KinePlatform

/// The loop of one capture thread, which alone uses it.
final class CaptureLoop {
    /// How often a paused take looks after its source, in nanoseconds.
    private static let pausedInterval: Int64 = 2_000_000_000

    private let source: any VideoSource
    private let canvas: Canvas
    private let outlet: FrameDistributor
    private let clock: TakeClock
    private let control: Monitor<CaptureThread.Control>
    private let output: CaptureThread.Output
    private let optimizations: TakeConfiguration.Optimizations
    private let isConstantRate: Bool
    /// How long the take is to last; nil: until it is ended.
    private let durationLimit: MediaTime?
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
        durationLimit = configuration.durationLimit
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
        let still = hasBegun ? outlet.stillInterval.map { lastDelivery + $0 } : nil
        return min(repeatAt ?? .max, still ?? .max)
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
        if hasBegun, let durationLimit, clock.mediaTime(at: now) >= durationLimit {
            // The request to end the take may come late, and the take must not become longer for it.
            canvas.abandon()
            _ = try source.wait(until: now + Self.pausedInterval, ignoringChanges: true)
            return
        }
        let look = optimizations.damage ? trust.look(at: now) : .all
        switch look {
        case .all: pending.insertAll()
        case .strips(let rows):
            for row in rows { pending.insert(PixelRect(x: 0, y: row * 16, width: source.size.width, height: 16)) }
        case nil: break
        }
        let canvas = canvas
        try source.read(pending) { rect, pixels, stride in canvas.draw(rect, pixels: pixels, stride: stride) }
        guard hasBegun || source.readWasComplete else {
            // What was not read is black, and the take's first picture must not be: another look, a moment later.
            canvas.abandon()
            pending.insertAll()
            _ = try source.wait(until: MonotonicClock.now() + pacer.interval, ignoringChanges: true)
            return
        }
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
        if control.withLock({ $0.isAbandoned }) { return }
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
        outlet.deliver(picture, at: placed.time, repeats: placed.repeats)
    }

    private func clockOffset(at instant: Int64) -> Int64 { instant - clock.mediaTime(at: instant).nanoseconds }
}
