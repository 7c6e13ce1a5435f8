// The surroundings of `CaptureStateMachine` in a take: a source, an encoder's slots and a clock that only the test moves.
import KineCapture
import KineMedia

@testable import KineTake

/// Carries out the machine's answers, as `CaptureLoop` does, and keeps its reads and frames.
struct CaptureSimulation {
    /// Something that happens to a capture.
    enum Event: CaseIterable {
        /// A tile gets another colour.
        case paint
        /// A tile is painted as it was.
        case paintAgain
        /// A tile gets another colour, and nobody reports it.
        case paintSecretly
        /// A pause begins or ends.
        case pause
        /// A card hides the source, or hides it no more.
        case cover
        case repeatFrame
        /// Another source is shown, on which every tile has another colour.
        case newSource
        /// The encoder keeps all slots, or gives them back.
        case holdSlots
        /// A third of an interval goes by.
        case moment
        /// A while goes by, longer than between two looks at unreported strips.
        case rest
    }

    struct Read {
        var at: Int64
        var region: DamageRegion
        /// The damage reported since the read before.
        var reported: DamageRegion
    }

    struct Frame {
        var at: Int64
        var delivery: CaptureStateMachine.Delivery
        /// It was asked for, so it is not held to the rate.
        var isAskedFor: Bool
    }

    static let size = PixelSize(width: 32, height: 32)

    let interval: Int64
    /// Nanoseconds that a read takes.
    var readTime: Int64 = 0
    var stillInterval: Int64?
    /// The first reads that fail.
    var failures = 0
    /// The source's.
    var readLimit: ReadLimit?
    /// The take has ended with it.
    private(set) var end: VideoSourceError?
    var machine: CaptureStateMachine
    private(set) var now: Int64 = 1_000_000_000
    private(set) var isPaused = false
    private(set) var isCovered = false
    /// The opening of the next source shows a person something over the screen.
    var isScreenTaken = false
    /// The screen was locked just now, and nothing is decided yet.
    var isHeld = false
    /// How often the source discarded its frames, and how often a switch was confirmed.
    private(set) var discards = 0
    private(set) var confirmations = 0
    private(set) var isCameraHidden = false
    private var repeatAt: Int64 = .max
    private(set) var areSlotsLent = false
    private(set) var reads: [Read] = []
    private(set) var frames: [Frame] = []
    /// The first instant at which a change was neither read nor kept back by a pause or by slots; nil: all is shown.
    private(set) var waitingSince: Int64?
    /// Nanoseconds that each reported change waited to be read, unless a pause or slots kept it back.
    private(set) var waits: [Int64] = []
    private var timeline = TakeTimeline()
    /// The colour of each tile.
    private var screen = [0, 0, 0, 0]
    private var canvas = [-1, -1, -1, -1]
    private var damage = DamageRegion.full(size: size)
    private var secret = DamageRegion(size: size)
    private var tile = 0
    private var isAsked = false

    init(_ change: (inout TakeConfiguration) -> Void = { _ in }) {
        var configuration = TakeConfiguration(source: .pattern(Self.size), output: nil)
        configuration.video.framesPerSecond = 10
        change(&configuration)
        interval = 1_000_000_000 / Int64(configuration.video.framesPerSecond)
        machine = CaptureStateMachine(configuration, sourceSize: Self.size, now: now)
    }

    /// The screen is as the last frame shows it, but for what was painted secretly.
    var isUpToDate: Bool {
        (0..<4).allSatisfy { screen[$0] == canvas[$0] || secret.contains(column: $0 % 2, row: $0 / 2) }
    }

    /// The last frame shows the card alone.
    var isCardShown: Bool { canvas.allSatisfy { $0 == Self.card } }

    /// The colour of the card, which no tile of the screen has.
    private static let card = -2

    /// Nothing differs, also not what was painted secretly.
    var isTrue: Bool { screen == canvas }

    mutating func handle(_ event: Event) {
        switch event {
        case .paint, .paintAgain, .paintSecretly:
            tile = (tile + 1) % 4
            if event != .paintAgain { screen[tile] += 1 }
            if event == .paintSecretly {
                secret.insert(column: tile % 2, row: tile / 2)
            } else {
                damage.insert(column: tile % 2, row: tile / 2)
                if waitingSince == nil, !isCovered { waitingSince = now }
            }
        case .pause:
            isPaused.toggle()
            _ = isPaused ? timeline.pause(at: now) : timeline.resume(at: now)
            waitingSince = nil
        case .cover:
            isCovered.toggle()
            waitingSince = nil
        case .repeatFrame:
            repeatAt = .min
            isAsked = true
        case .newSource:
            screen = screen.map { $0 + 1000 }
            damage.insertAll()
            machine.changeSource(size: Self.size, at: now)
            if waitingSince == nil, !isCovered { waitingSince = now }
        case .holdSlots:
            areSlotsLent.toggle()
            waitingSince = nil
        case .moment: return run(for: interval / 3)
        case .rest: return run(for: DamageVerification.interval + interval / 7)
        }
        run(for: 0)
    }

    /// Lets capture work until so many nanoseconds later.
    mutating func run(for duration: Int64) {
        let end = now + duration
        while self.end == nil {
            let conditions = CaptureStateMachine.Conditions(
                isPaused: isPaused, clockOffset: now - timeline.mediaTime(at: now).nanoseconds,
                cover: isHeld ? .held : isCovered ? .covered : .open, isScreenTaken: isScreenTaken,
                repeatAt: repeatAt, stillInterval: stillInterval)
            repeatAt = .max
            switch machine.next(at: now, conditions) {
            case .discardFrames: discards += 1
            case .confirmSwitch: confirmations += 1
            case .hideCamera(let isHidden): isCameraHidden = isHidden
            case .sleep(let until, let interest):
                if interest == .sources, !damage.isEmpty {
                    machine.noteSourceChanged()
                    continue
                }
                guard until <= end else {
                    now = max(now, end)
                    return
                }
                precondition(until > now, "a sleep that ends before it begins")
                now = until
            case .collectDamage:
                collect()
                machine.collected(at: now)
            case .beginFrame:
                if areSlotsLent {
                    let until = machine.slotsAreAllLent(at: now)
                    guard until <= end else {
                        now = max(now, end)
                        return
                    }
                    now = until
                } else {
                    readFrame()
                }
            }
        }
    }

    private mutating func collect() {
        machine.reported.removeAll()
        if !machine.isCovered { machine.reported.formUnion(damage) }
        damage.removeAll()
    }

    private var reportedSinceRead = DamageRegion(size: size)

    private mutating func readFrame() {
        reportedSinceRead.formUnion(damage)
        collect()
        guard machine.beginReading(at: now, time: timeline.mediaTime(at: now)) == .read else { return }
        let region = machine.pending
        if !region.isEmpty { reads.append(Read(at: now, region: region, reported: reportedSinceRead)) }
        reportedSinceRead.removeAll()
        let isComplete = failures == 0
        failures = max(0, failures - 1)
        var changed = DamageRegion(size: Self.size)
        for tile in 0..<4 where isComplete && region.contains(column: tile % 2, row: tile / 2) {
            let colour = machine.isCovered ? Self.card : screen[tile]
            if canvas[tile] != colour { changed.insert(column: tile % 2, row: tile / 2) }
            canvas[tile] = colour
        }
        var stillSecret = DamageRegion(size: Self.size)
        for tile in 0..<4 where !machine.isCovered && screen[tile] != canvas[tile] {
            stillSecret.insert(column: tile % 2, row: tile / 2)
        }
        secret = stillSecret
        let started = now
        now += readTime
        let evenIfUnchanged: Bool
        switch machine.finishReading(isComplete: isComplete, limit: readLimit, at: now) {
        case .commit(let isForced): evenIfUnchanged = isForced
        case .abandon: return
        case .end(let error): return end = error
        }
        if let since = waitingSince { waits.append(started - since) }
        waitingSince = nil
        let outcome = machine.committed(
            changed: changed.isEmpty && !evenIfUnchanged ? nil : changed, layers: DamageRegion(size: changed.size))
        if outcome == .unchanged { return }
        if outcome == .checkSource { machine.checked(sourceHasChanged: !damage.isEmpty) }
        if !machine.hasBegun { timeline.begin(at: started) }
        let delivery = machine.deliver(at: timeline.mediaTime(at: started))
        frames.append(Frame(at: started, delivery: delivery, isAskedFor: isAsked))
        isAsked = false
    }
}
