// The source that a capture reads: what the engine knows of it, how the take turns and cuts it, and the switch to
// another one.
import KineCapture
import KineInput
import KineMedia
import KinePlatform

/// The source of a capture, and what was reported of it. Used by the capture thread alone.
struct CaptureSource {
    private(set) var current: any VideoSource
    /// The last interruption reported to the engine.
    private var interruption: SourceInterruption?
    /// The last findings reported to the engine.
    private var exclusionFindings: ExclusionFindings?
    private let whenUnplugged: TakeConfiguration.WhenUnplugged
    private let observer: any TakeObserver
    /// Nil: nothing is painted over the frames.
    let painter: InputPainter?
    /// Whether what a person does is recorded.
    private let recordsInput: Bool
    /// What the source has reported of that since the last `takeInput`.
    private var events: [InputEvent] = []
    /// The damage since the last `takeDamage`, without what is painted over the frames. Nil: it is not recorded.
    private var damage: DamageRegion?

    init(_ source: any VideoSource, _ configuration: TakeConfiguration, observer: any TakeObserver) {
        current = source
        whenUnplugged = configuration.whenUnplugged
        painter = InputPainter(configuration.video)
        recordsInput = configuration.recordsInput
        self.observer = observer
    }

    /// Releases the source, and reads another one from now on.
    mutating func replace(with source: any VideoSource) {
        current = source
        painter?.sourceChanged()
        (events, damage) = ([], nil)
        // The new source does not stand still; nothing has come back.
        interruption = nil
    }

    /// As `VideoSource.processEvents`, with what is painted over the frames.
    mutating func processEvents() throws(VideoSourceError) -> Bool {
        let hasChanged = try current.processEvents()
        collectEvents()
        return painter?.advance(current, to: MonotonicClock.now()) == true || hasChanged
    }

    private mutating func noteDamage(_ damage: DamageRegion) {
        var seen = damage
        let places = current.hiddenPlaces
        if !places.isEmpty {
            var hidden = DamageRegion(size: damage.size)
            for place in places { hidden.insert(place) }
            seen.subtract(hidden)
        }
        if self.damage?.size == seen.size { self.damage?.formUnion(seen) } else { self.damage = seen }
    }

    private mutating func collectEvents() { if recordsInput { events += current.takeInput() } }

    /// Removes and returns what a person did until now.
    mutating func takeInput() -> [InputEvent] {
        collectEvents()
        defer { events = [] }
        return events
    }

    /// The part of the picture's changes that the source has reported since the last call.
    ///
    /// - Parameters:
    ///   - changed: the picture's tiles that differ from the frame before.
    ///   - geometry: how the picture shows the frame.
    mutating func takeDamage(in changed: DamageRegion, _ geometry: PictureGeometry) -> DamageRegion? {
        guard recordsInput, let damage = damage.take(), damage.size == geometry.source else { return nil }
        var own = DamageRegion(geometry.map(damage), size: changed.size)
        own.formIntersection(changed)
        return own
    }

    /// As `VideoSource.deadline`, with what is painted over the frames.
    var deadline: Int64? { [current.deadline, painter?.deadline].compactMap(\.self).min() }

    /// As `VideoSource.addDamage`, with what is painted over the frames.
    mutating func addDamage(to damage: inout DamageRegion) throws(VideoSourceError) {
        try current.addDamage(to: &damage)
        if recordsInput { noteDamage(damage) }
        collectEvents()
        painter?.update(current, damage: &damage, at: MonotonicClock.now())
    }

    /// Reports an interruption and findings that are new. Throws if the take is set to end with that interruption.
    mutating func report() throws(VideoSourceError) {
        if current.interruption != interruption {
            interruption = current.interruption
            if let interruption, whenUnplugged == .stop, let end = VideoSourceError(ending: interruption) { throw end }
            observer.observe(.interrupted(interruption))
        }
        if current.exclusionFindings != exclusionFindings {
            exclusionFindings = current.exclusionFindings
            observer.observe(.exclusions(exclusionFindings))
        }
    }
}

/// How a take turns and crops the frames of its sources.
struct SourceFraming {
    private let crop: PictureGeometry.Crop
    /// The take's turn, after the source's own.
    private let turn: Orientation

    init(_ video: TakeConfiguration.Video) {
        crop = video.crop
        turn = video.orientation
    }

    /// The rotation that makes the source's frames upright, as the take shows them.
    func orientation(of source: any VideoSource) -> Orientation { source.orientation.followed(by: turn) }

    /// Throws `outsideSource` if the crop leaves nothing of the source.
    func check(_ source: any VideoSource) throws(VideoSourceError) {
        let upright = orientation(of: source).turned(source.size)
        if case .part(let rect) = crop, rect.intersection(PixelRect(size: upright)).isEmpty {
            throw .outsideSource(rect, source: upright)
        }
    }
}

/// The switch to another source, from its opening to its first frame. Used by the capture thread alone.
///
/// The next switch may begin to open while the last one still waits for its frame.
struct SourceSwitch {
    private var next: (opening: any VideoSourceOpening, request: CaptureThread.Switch)?
    /// The switch to confirm with the new source's first frame, and that source's size.
    private var pending: (request: CaptureThread.Switch, size: PixelSize)?

    /// For poll: the descriptor of the opening, if there is one.
    var descriptors: [Int32] { next.map { [$0.opening.descriptor] } ?? [] }

    /// The instant of CLOCK_MONOTONIC at which to call `advance` even without events; nil: never.
    var deadline: Int64? { next?.opening.deadline }

    /// The opening shows a person something over the screen that no frame may contain.
    var coversScreen: Bool { next?.opening.coversScreen == true }

    /// Begins to open a source, in place of one that is still being opened. If that cannot begin, answers the request
    /// and returns false; the other opening then continues.
    mutating func begin(_ request: CaptureThread.Switch) -> Bool {
        do throws(VideoSourceError) {
            next = (try request.open(), request)
            return true
        } catch {
            request.done(.failure(error))
            return false
        }
    }

    /// Cancels the opening. It fails in a later `advance`.
    func giveUp() { next?.opening.giveUp() }

    /// Opens the source as far as possible. Passes it to `show` once it is open and fits the framing; otherwise answers
    /// the request with the reason. Returns whether the opening is over.
    mutating func advance(_ framing: SourceFraming, show: (any VideoSource) -> Void) -> Bool {
        guard let (opening, request) = next else { return false }
        do throws(VideoSourceError) {
            guard let source = try opening.processEvents() else { return false }
            try framing.check(source)
            show(source)
            pending = (request, source.size)
        } catch {
            request.done(.failure(error))
        }
        next = nil
        return true
    }

    /// Answers the request of the source that is shown now.
    mutating func confirm() {
        guard let (request, size) = pending.take() else { return }
        request.done(.success(size))
    }
}
