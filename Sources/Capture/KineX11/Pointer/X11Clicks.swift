// Rings around mouse clicks, in the frames of a source.
import KineCapture
import KineMedia

/// The drawn rings and the current ones. Used by the capture thread.
final class X11Clicks {
    private var machine = ClickStateMachine()
    /// The factor of the rings' size, equal to the pointer's: a large pointer would hide a small ring.
    private let scale: Double
    private var drawn: [(ring: ClickStateMachine.Ring, image: OverlayImage)] = []
    /// A button was pressed or released since then.
    private var mustPlace = false
    /// The instant of the last `advance`.
    private var now: Int64 = 0

    init(scale: Double) { self.scale = scale }

    func press(_ button: ClickStateMachine.Button) {
        machine.press(button)
        mustPlace = true
    }

    func release(_ button: ClickStateMachine.Button, at now: Int64) {
        machine.release(button, at: now)
        mustPlace = true
    }

    /// Whether a ring follows the pointer, so that its position must be known.
    var followsPointer: Bool { machine.followsPointer }

    func advance(to now: Int64) {
        self.now = now
        machine.expire(at: now)
    }

    /// When the rings change by themselves (CLOCK_MONOTONIC), if they do.
    var deadline: Int64? { machine.nextStep(after: now) }

    /// Whether the rings differ from the drawn ones.
    var hasChanged: Bool {
        guard !machine.isEmpty || !drawn.isEmpty else { return false }
        return mustPlace || machine.rings(at: now) != drawn.map(\.ring)
    }

    /// The pointer is at `place` of the frame; nil: on another screen.
    func move(to place: (x: Int, y: Int)?) {
        machine.move(to: place.map { ClickStateMachine.Place(x: $0.x, y: $0.y) })
    }

    /// Prepares the current rings for drawing. Adds the old and new rectangles to `damage`.
    func update(damage: inout DamageRegion) {
        guard hasChanged else { return }
        mustPlace = false
        let before = drawn
        drawn = machine.rings(at: now).map { ring in
            let same = before.first { $0.ring.button == ring.button && $0.ring.step == ring.step }
            return (ring, same?.image ?? ClickRing.image(ring.button, step: ring.step, scale: scale))
        }
        for old in before where !drawn.contains(where: { $0.ring == old.ring }) { damage.insert(rect(old)) }
        for new in drawn where !before.contains(where: { $0.ring == new.ring }) { damage.insert(rect(new)) }
    }

    /// Draws the rings over the pixels of `area`, a part of the frame.
    func draw(over pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
        for one in drawn {
            let rect = rect(one)
            one.image.draw(at: (rect.x, rect.y), over: pixels, stride: stride, area: area)
        }
    }

    private func rect(_ one: (ring: ClickStateMachine.Ring, image: OverlayImage)) -> PixelRect {
        let size = one.image.size
        return PixelRect(
            origin: (one.ring.place.x - size.width / 2, one.ring.place.y - size.height / 2), size: size)
    }
}
