// The badge of the pressed keys over the frames of a source, which fades after a while.
import KineMedia

/// The painted badge and the newest one. Pure.
struct KeyOverlay {
    private var picture = KeyPicture()
    private var fading = BadgeFading.gone
    private var painted: (image: OverlayImage, rect: PixelRect)?
    private var paintedSince: Int64 = 0
    private var paintedFrame = PixelSize(width: 0, height: 0)
    private var paintedFading = BadgeFading.gone

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
    mutating func advance(to now: Int64, _ newest: KeyPicture) {
        picture = newest
        fading = BadgeFading(shownSince: picture.since, hold: picture.hold, at: now)
    }

    /// The instant (CLOCK_MONOTONIC) of the next step of fading; nil: there is none.
    var deadline: Int64? { fading.end(shownSince: picture.since, hold: picture.hold) }

    /// Whether the badge differs from the painted one.
    var hasChanged: Bool { fading != paintedFading || fading != .gone && picture.since != paintedSince }

    /// The painted badge's place; nil: there is none.
    var rect: PixelRect? { painted?.rect }

    /// Prepares the current badge for a frame of the damage's size. Adds the old and the new rectangle.
    mutating func update(damage: inout DamageRegion) {
        guard hasChanged || painted != nil && damage.size != paintedFrame else { return }
        if let painted { damage.insert(painted.rect) }
        (paintedFading, paintedSince, paintedFrame) = (fading, picture.since, damage.size)
        painted = fading.opacity.map { opacity in
            let (badge, frame) = (picture.image.size, damage.size)
            let place = ((frame.width - badge.width) / 2, frame.height - badge.height - badge.height / 2)
            return (picture.image.faded(to: opacity), PixelRect(origin: place, size: badge))
        }
        if let painted { damage.insert(painted.rect) }
    }

    /// Paints the badge over the pixels of `area`, a part of the frame.
    func paint(over pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
        guard let painted else { return }
        painted.image.draw(at: (painted.rect.x, painted.rect.y), over: pixels, stride: stride, area: area)
    }
}

/// The state of a badge by its age: opaque, then fading in steps, then gone.
enum BadgeFading: Equatable {
    case whole
    /// From 1 to `steps` - 1.
    case paler(Int)
    case gone

    /// Nanoseconds for each step.
    static let stepLength: Int64 = 33_333_333
    static let steps = 10

    /// The state at `now` of a badge that is opaque for `hold` nanoseconds from `since` on.
    init(shownSince since: Int64, hold: Int64, at now: Int64) {
        guard now - since >= hold else {
            self = .whole
            return
        }
        let step = 1 + Int((now - since - hold) / Self.stepLength)
        self = step < Self.steps ? .paler(step) : .gone
    }

    /// From 0 to 1; nil: it is gone.
    var opacity: Double? {
        switch self {
        case .whole: 1
        case .paler(let step): 1 - Double(step) / Double(Self.steps)
        case .gone: nil
        }
    }

    /// The time of the next change; nil: never.
    func end(shownSince since: Int64, hold: Int64) -> Int64? {
        switch self {
        case .whole: since + hold
        case .paler(let step): since + hold + Int64(step) * Self.stepLength
        case .gone: nil
        }
    }
}
