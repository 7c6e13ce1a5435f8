// Rings around mouse clicks over the frames of a source.
import KineMedia

/// The painted rings and the current ones. Pure.
struct ClickOverlay {
    private var machine = ClickStateMachine()
    /// The factor of the rings' size, equal to the pointer's: a large pointer would hide a small ring.
    private let scale: Double
    private var painted: [(ring: ClickStateMachine.Ring, image: OverlayImage)] = []
    /// A button was pressed or released since then.
    private var mustPlace = false
    /// The instant of the last `advance`.
    private var now: Int64 = 0

    init(scale: Double) { self.scale = scale }

    mutating func receive(_ event: InputEvent) {
        switch event.action {
        case .pressed(let button): machine.press(button)
        case .released(let button): machine.release(button, at: event.instant)
        default: return
        }
        mustPlace = true
    }

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
    mutating func advance(to now: Int64) {
        self.now = now
        machine.expire(at: now)
    }

    /// The instant (CLOCK_MONOTONIC) of the next step of the rings; nil: no ring moves.
    var deadline: Int64? { machine.nextStep(after: now) }

    /// Whether the rings differ from the painted ones.
    var hasChanged: Bool {
        guard !machine.isEmpty || !painted.isEmpty else { return false }
        return mustPlace || machine.rings(at: now) != painted.map(\.ring)
    }

    /// The smallest rectangle around the painted rings; empty: there are none.
    var bounds: PixelRect { painted.reduce(PixelRect(x: 0, y: 0, width: 0, height: 0)) { $0.union(Self.rect($1)) } }

    /// The pointer is at `place` of the frame; nil: elsewhere.
    mutating func move(to place: PixelPoint?) { machine.move(to: place) }

    /// Prepares the current rings for painting. Adds the old and new rectangles to `damage`.
    mutating func update(damage: inout DamageRegion) {
        guard hasChanged else { return }
        mustPlace = false
        let before = painted
        painted = machine.rings(at: now).map { ring in
            let same = before.first { $0.ring.button == ring.button && $0.ring.step == ring.step }
            return (ring, same?.image ?? ClickRing.image(ring.button, step: ring.step, scale: scale))
        }
        for old in before where !painted.contains(where: { $0.ring == old.ring }) { damage.insert(Self.rect(old)) }
        for new in painted where !before.contains(where: { $0.ring == new.ring }) { damage.insert(Self.rect(new)) }
    }

    /// Paints the rings over the pixels of `area`, a part of the frame.
    func paint(over pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
        for one in painted {
            let rect = Self.rect(one)
            one.image.draw(at: (rect.x, rect.y), over: pixels, stride: stride, area: area)
        }
    }

    private static func rect(_ one: (ring: ClickStateMachine.Ring, image: OverlayImage)) -> PixelRect {
        let size = one.image.size
        return PixelRect(
            origin: (one.ring.place.x - size.width / 2, one.ring.place.y - size.height / 2), size: size)
    }
}
