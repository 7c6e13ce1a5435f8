// Rings round the clicks of the mouse, in the frames of a source.
import KineCapture
import KineMedia

/// The rings that the frame shows, and those that it should show. Used by the capture thread.
final class X11Clicks {
    private var machine = ClickStateMachine()
    /// The factor for the rings' size, which is the pointer's: a large pointer would hide a small ring.
    private let scale: Double
    /// The rings as they were last drawn.
    private var drawn: [(ring: ClickStateMachine.Ring, image: OverlayImage)] = []
    /// A button was pressed or released since then.
    private var mustPlace = false
    /// The instant of the last look at the clock.
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

    /// Whether a ring follows the pointer, so that its place must be known.
    var followsPointer: Bool { machine.followsPointer }

    /// CLOCK_MONOTONIC is at `now`.
    func advance(to now: Int64) {
        self.now = now
        machine.expire(at: now)
    }

    /// The instant of CLOCK_MONOTONIC at which the rings change by themselves; nil: they do not.
    var deadline: Int64? { machine.nextStep(after: now) }

    /// Whether the rings are not those that were drawn.
    var hasChanged: Bool {
        guard !machine.isEmpty || !drawn.isEmpty else { return false }
        return mustPlace || machine.rings(at: now) != drawn.map(\.ring)
    }

    /// The pointer is at `place` of the frame now; nil: it is on another screen.
    func move(to place: (x: Int, y: Int)?) {
        machine.move(to: place.map { ClickStateMachine.Place(x: $0.x, y: $0.y) })
    }

    /// Has the rings drawn as they are now. Adds the places where they were and are to `damage`.
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

    /// Draws the rings over the pixels of `area`, which is a part of the frame.
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
