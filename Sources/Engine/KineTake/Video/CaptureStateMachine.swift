// Decides when the capture thread sleeps and until when, when it reads a frame, and which frames it hands on. It has no clock and
// does no I/O; `CaptureLoop` carries out its answers.
import KineCapture
import KineMedia

/// The states of one capture. Instants are nanoseconds of CLOCK_MONOTONIC.
struct CaptureStateMachine {
    /// The next step.
    enum Step: Equatable {
        /// A request from another thread ends the sleep early, and so does an event of its interest.
        case sleep(until: Int64, for: SourceWaiter.Interest)
        /// Collect the source's damage and read nothing. Answered by `collected`.
        case collectDamage
        /// Get a free slot and collect the source's damage. Answered by `slotsAreAllLent` or `beginReading`.
        case beginFrame
        /// Discard the frames that the source holds: they were captured in a pause, or while the screen was taken.
        case discardFrames
        /// Confirm the switch: the new source is shown.
        case confirmSwitch
        /// Hide the camera with the source, or show it again.
        case hideCamera(Bool)
    }

    /// The requests of other threads and of the next source's opening, at one moment.
    struct Conditions {
        var isPaused = false
        /// CLOCK_MONOTONIC minus the take's time.
        var clockOffset: Int64 = 0
        var cover = ScreenCover.State.open
        /// The opening of the next source shows a person something over the screen that no frame may contain.
        var isScreenTaken = false
        /// The instant at which the frame must be shown again although nothing changed.
        var repeatAt: Int64 = .max
        /// The longest time that a frame may stand before it is shown again, in nanoseconds; nil: no limit.
        var stillInterval: Int64?
    }

    enum Reading: Equatable {
        /// Read `pending` into the slot. Answered by `finishReading`.
        case read
        /// Give the slot back.
        case abandon
    }

    enum Commit: Equatable {
        /// Answered by `committed`.
        case commit(evenIfUnchanged: Bool)
        /// Give the slot back.
        case abandon
        /// The source cannot be read: the take ends.
        case end(VideoSourceError)
    }

    enum Outcome: Equatable {
        /// There is nothing to hand on.
        case unchanged
        /// Answered by `deliver`.
        case deliver
        /// Ask whether the source has events now, answer with `checked`, then deliver.
        case checkSource
    }

    /// The frame's time in the file, and the times at which it is shown again.
    struct Delivery: Equatable {
        var time: MediaTime
        var repeats: [MediaTime]
    }

    private enum Activity {
        case capturing
        case resting(Rest, nextLook: Int64)
    }

    private enum Rest {
        case pause
        /// The take has its full length, and waits for its end.
        case complete
    }

    /// Nanoseconds between two looks at events while nothing is read: events must not gather at the display server for hours, and
    /// the source may come to its end.
    static let restInterval: Int64 = 2_000_000_000

    private let isConstantRate: Bool
    private let readsDamageOnly: Bool
    private let skipsUnchanged: Bool
    /// The full length of the take; nil: until it is stopped.
    private let durationLimit: MediaTime?
    private var activity = Activity.capturing
    private var pacer: FramePacer
    private var verification: DamageVerification
    private var grid: FrameGrid
    private(set) var counts = CaptureThread.Counts()
    /// The first frame was handed on.
    private(set) var hasBegun = false
    /// The next frame must be read whole: since the last one, the source was switched or the take was paused.
    private(set) var needsWholeFrame = false
    /// A card is drawn instead of the source.
    private(set) var isCovered = false
    private var isScreenTaken = false
    /// A switch waits for the first frame of the new source.
    private var isSwitchPending = false
    /// The instant of the first in a row of failed reads; nil if the last read was complete.
    private var failingSince: Int64?
    /// The instant at which to retry a source's first frame after a failed read.
    private var retryAt: Int64 = .min
    /// The changes that were not read yet.
    private(set) var pending: DamageRegion
    /// The damage that the source reported at the last look. Fill it anew before `collected` and `beginReading`.
    var reported: DamageRegion
    /// The source has events that were not collected yet.
    private var sourceHasChanged = false
    /// The instant at which the frame must be shown again even if nothing changed.
    private var repeatAt: Int64 = .max
    private var lastDelivery: Int64 = .min
    /// CLOCK_MONOTONIC minus the take's time, at the last look.
    private var clockOffset: Int64 = 0

    // The frame in work.
    private(set) var frameInstant: Int64 = .min
    private var mustRepeat = false
    private var look: DamageVerification.Look?

    init(_ configuration: TakeConfiguration, sourceSize: PixelSize, now: Int64) {
        let video = configuration.video
        isConstantRate = video.constantFrameRate
        readsDamageOnly = configuration.optimizations.damage
        skipsUnchanged = configuration.optimizations.skipUnchanged
        durationLimit = configuration.durationLimit
        pacer = FramePacer(framesPerSecond: video.framesPerSecond, period: video.framePeriod)
        grid = FrameGrid(video)
        pending = .full(size: sourceSize)
        reported = DamageRegion(size: sourceSize)
        verification = DamageVerification(rows: pending.rows, now: now)
    }

    /// The source has no frame in the take yet.
    var awaitsSource: Bool { !hasBegun || isSwitchPending }

    /// Nothing is read now, in a pause or because the take has its length.
    var isResting: Bool { if case .resting = activity { true } else { false } }

    /// Returns whether a pause is over.
    private mutating func setPaused(_ isPaused: Bool, at now: Int64, offset: Int64) -> Bool {
        switch (activity, isPaused) {
        case (.capturing, true):
            failingSince = nil
            activity = .resting(.pause, nextLook: now + Self.restInterval)
        case (.resting(.pause, _), false):
            activity = .capturing
            pending.insertAll()
            needsWholeFrame = true
            pacer.delay(by: offset - clockOffset)
            clockOffset = offset
            return true
        default: break
        }
        return false
    }

    /// Draws all of the source or all of the card next. Returns whether that is a change.
    private mutating func setCovered(_ isCovered: Bool, at now: Int64) -> Bool {
        guard isCovered != self.isCovered else { return false }
        self.isCovered = isCovered
        failingSince = nil
        pending.insertAll()
        // Our own change, not unreported damage: the check begins anew.
        verification = DamageVerification(rows: pending.rows, now: now)
        return true
    }

    /// Draws all of another source next. Answered by `confirmSwitch`.
    mutating func changeSource(size: PixelSize, at now: Int64) {
        pending = .full(size: size)
        reported = DamageRegion(size: size)
        verification = DamageVerification(rows: pending.rows, now: now)
        needsWholeFrame = true
        isSwitchPending = true
        failingSince = nil
    }

    mutating func noteSourceChanged() { sourceHasChanged = true }

    /// Call it again after each step.
    mutating func next(at now: Int64, _ conditions: Conditions) -> Step {
        // If a change is read soon anyway, its frame is enough.
        repeatAt = min(repeatAt, conditions.repeatAt)
        if conditions.isScreenTaken {
            isScreenTaken = true
            return .sleep(until: .max, for: .nothing)
        }
        if isScreenTaken {
            isScreenTaken = false
            failingSince = nil
            return .discardFrames
        }
        if setPaused(conditions.isPaused, at: now, offset: conditions.clockOffset) { return .discardFrames }
        if isSwitchPending, !needsWholeFrame || isResting {
            isSwitchPending = false
            return .confirmSwitch
        }
        if setCovered(conditions.cover == .covered || conditions.cover == .held, at: now) {
            return .hideCamera(isCovered)
        }
        if conditions.cover == .held, hasBegun { return .sleep(until: now + Self.restInterval, for: .drained) }
        return next(at: now, stillInterval: conditions.stillInterval)
    }

    private mutating func next(at now: Int64, stillInterval: Int64?) -> Step {
        if case .resting(let rest, let look) = activity {
            guard now >= look else { return .sleep(until: look, for: .drained) }
            activity = .resting(rest, nextLook: now + Self.restInterval)
            return .collectDamage
        }
        guard hasBegun else { return now < retryAt ? .sleep(until: retryAt, for: .nothing) : .beginFrame }
        let nextRepeat = min(repeatAt, stillInterval.map { lastDelivery + $0 } ?? .max)
        mustRepeat = now >= nextRepeat
        guard hasWork(at: now) else {
            let look = isCovered ? .max : verification.deadline
            return mustRepeat ? .beginFrame : .sleep(until: min(look, nextRepeat), for: .sources)
        }
        let due = grid.next.map { $0.nanoseconds + clockOffset } ?? pacer.earliest
        let earliest = needsWholeFrame ? max(due, retryAt) : due
        return now < earliest ? .sleep(until: earliest, for: .nothing) : .beginFrame
    }

    private func hasWork(at now: Int64) -> Bool {
        isConstantRate || !readsDamageOnly || !skipsUnchanged || sourceHasChanged || !pending.isEmpty
            || !isCovered && (now >= verification.deadline || verification.readsAll(at: now))
    }

    /// The encoder holds every slot. Returns the instant until which to wait for one. Nothing is read meanwhile: the source
    /// gathers its damage. Each interval of waiting is a frame lost.
    mutating func slotsAreAllLent(at now: Int64) -> Int64 {
        counts.dropped += 1
        return now + pacer.interval
    }

    /// `reported` holds the source's damage. A new size of the source makes everything pending.
    mutating func collected(at now: Int64) {
        sourceHasChanged = false
        if reported.size == pending.size {
            pending.formUnion(reported)
        } else {
            pending = .full(size: reported.size)
            verification = DamageVerification(rows: pending.rows, now: now)
        }
    }

    /// The same as `collected`, for a frame at `now`, which is `time` in the take.
    mutating func beginReading(at now: Int64, time: MediaTime) -> Reading {
        collected(at: now)
        if hasBegun, let durationLimit, isAfter(durationLimit, time) {
            // The request to end the take may come late, and the take must not become longer for it.
            activity = .resting(.complete, nextLook: now + Self.restInterval)
            return .abandon
        }
        frameInstant = now
        look = isCovered ? nil : readsDamageOnly ? verification.look(at: now) : .all
        switch look {
        case .all: pending.insertAll()
        case .strips(let rows):
            for row in rows {
                pending.insert(
                    PixelRect(
                        x: 0, y: row * DamageRegion.tileSide, width: pending.size.width, height: DamageRegion.tileSide))
            }
        case nil: break
        }
        return .read
    }

    /// Whether a frame of that time would be shown at the limit or later: the grid may move it.
    private func isAfter(_ limit: MediaTime, _ time: MediaTime) -> Bool {
        var grid = grid
        return time >= limit || grid.place(time).time >= limit
    }

    /// - Parameter limit: the source's.
    mutating func finishReading(isComplete: Bool, limit: ReadLimit?, at now: Int64) -> Commit {
        failingSince = isComplete || limit == nil ? nil : failingSince ?? frameInstant
        if let limit, let failingSince, now - failingSince >= limit.timeout { return .end(limit.error) }
        guard hasBegun && !needsWholeFrame || isComplete else {
            // Unread parts are black or show the previous source. Reads again a moment later.
            pending.insertAll()
            retryAt = now + pacer.interval
            return .abandon
        }
        needsWholeFrame = false
        pending.removeAll()
        return .commit(evenIfUnchanged: isConstantRate || !skipsUnchanged || mustRepeat)
    }

    /// - Parameters:
    ///   - changed: the tiles that differ from the frame before; nil: there is no frame to hand on.
    ///   - layers: the tiles that were drawn because a layer over the source changed.
    mutating func committed(changed: DamageRegion?, layers: DamageRegion) -> Outcome {
        if frameInstant >= repeatAt { repeatAt = .max }
        switch look {
        case .strips where changed == nil && reported.isEmpty: break  // it must not make the next frame wait
        case nil where changed == nil, .strips where changed == nil: pacer.foundNothing(at: frameInstant)
        default: pacer.recordFrame(at: frameInstant)
        }
        guard let changed else {
            if look == nil || !reported.isEmpty { counts.unchanged += 1 }
            return .unchanged
        }
        return hasUnreported(changed, layers) ? .checkSource : .deliver
    }

    /// Whether a strip changed although the source reported nothing there.
    private func hasUnreported(_ changed: DamageRegion, _ layers: DamageRegion) -> Bool {
        guard hasBegun, case .strips = look else { return false }
        var unreported = changed
        unreported.subtract(layers)
        guard changed.size == reported.size else { return reported.isEmpty && !unreported.isEmpty }
        unreported.subtract(reported)
        return !unreported.isEmpty
    }

    /// The source has by now reported changes before the read. Without events, the change was unreported.
    mutating func checked(sourceHasChanged: Bool) {
        if sourceHasChanged { noteSourceChanged() } else { verification.foundUnreported(at: frameInstant) }
    }

    /// Places the frame that is handed on. `time`: the take's time at `frameInstant`.
    mutating func deliver(at time: MediaTime) -> Delivery {
        hasBegun = true
        lastDelivery = frameInstant
        clockOffset = frameInstant - time.nanoseconds
        return placed(grid.place(time))
    }

    /// At a constant rate, repeats the last frame in each place before `end` that has no frame; nil if there is none.
    mutating func fill(until end: MediaTime) -> Delivery? { grid.fill(until: end).map { placed($0) } }

    private mutating func placed(_ frame: (time: MediaTime, repeats: [MediaTime])) -> Delivery {
        counts.drawn += 1 + frame.repeats.count
        return Delivery(time: frame.time, repeats: frame.repeats)
    }
}
