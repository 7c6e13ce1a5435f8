// The rings around mouse clicks. Pure: its inputs are button events, positions and instants.
import Glibc
import KineMedia

/// A ring follows the pointer while a button is held. After the release it stays in place, grows and fades.
struct ClickStateMachine {
    struct Ring: Equatable {
        let button: PointerButton
        /// The centre, in the frame's coordinates.
        let place: PixelPoint
        /// Steps of the fading: 0 while the button is held, always less than `steps`.
        let step: Int
    }

    private struct Click {
        let button: PointerButton
        /// Nil: unknown yet, or outside the frame's screen.
        var place: PixelPoint?
        /// The instant of the release; nil: the button is held.
        var released: Int64?
        /// The pointer's position at the release is not known yet.
        var awaitsPlace = true
    }

    /// Steps in which a ring fades, and the nanoseconds of each: 0.4 seconds at 30 a second.
    static let steps = 12
    static let stepLength: Int64 = 33_333_333

    /// The oldest first.
    private var clicks: [Click] = []

    var isEmpty: Bool { clicks.isEmpty }

    mutating func press(_ button: PointerButton) {
        clicks.removeAll { $0.button == button && $0.released == nil }
        clicks.append(Click(button: button))
    }

    mutating func release(_ button: PointerButton, at now: Int64) {
        guard let index = clicks.lastIndex(where: { $0.button == button && $0.released == nil }) else { return }
        clicks[index].released = now
        clicks[index].awaitsPlace = true
    }

    /// The pointer is at `place` of the frame; nil: on another screen.
    mutating func move(to place: PixelPoint?) {
        for index in clicks.indices where clicks[index].released == nil || clicks[index].awaitsPlace {
            clicks[index].place = place
            clicks[index].awaitsPlace = false
        }
    }

    /// Removes the rings that have faded.
    mutating func expire(at now: Int64) { clicks.removeAll { Self.step($0, now) >= Self.steps } }

    /// The rings to draw, the newest last.
    func rings(at now: Int64) -> [Ring] {
        clicks.compactMap { click in
            let step = Self.step(click, now)
            guard let place = click.place, step < Self.steps else { return nil }
            return Ring(button: click.button, place: place, step: step)
        }
    }

    /// The next instant at which `rings` changes by itself, if any.
    func nextStep(after now: Int64) -> Int64? {
        clicks.compactMap { click in
            let next = Int64(Self.step(click, now) + 1) * Self.stepLength
            return click.released.map { $0 + next }
        }.min()
    }

    private static func step(_ click: Click, _ now: Int64) -> Int {
        guard let released = click.released else { return 0 }
        return Int(max(0, now - released) / stepLength)
    }
}

// Draws a ring around a click. Pure.
enum ClickRing {
    /// Colours that people with red-green blindness can distinguish: amber, magenta and blue, as 0xRRGGBB.
    static func colour(of button: PointerButton) -> UInt32 {
        switch button {
        case .left: 0xffb000
        case .middle: 0xdc267f
        case .right: 0x648fff
        }
    }

    /// Pixels from the centre to the middle of the line, while the button is held, and after fading.
    private static let radius = (held: 18.0, faded: 30.0)
    private static let lineWidth = 3.0
    private static let opacity = (line: 0.9, disc: 0.2)

    /// The image of a ring. The centre is the middle pixel: both sides are odd.
    static func image(_ button: PointerButton, step: Int, scale: Double) -> OverlayImage {
        let progress = Double(step) / Double(ClickStateMachine.steps)
        let radius = (radius.held + (radius.faded - radius.held) * progress) * scale
        let width = lineWidth * scale
        let reach = Int((radius + width / 2).rounded(.up))
        let side = 2 * reach + 1
        let colour = colour(of: button)
        var pixels: [UInt32] = []
        pixels.reserveCapacity(side * side)
        for y in -reach...reach {
            for x in -reach...reach {
                let distance = sqrt(Double(x * x + y * y))
                // The part of the pixel that the line covers, for smooth edges.
                let line = min(max(width / 2 + 0.5 - abs(distance - radius), 0), 1)
                let disc = distance < radius ? 1 - line : 0
                let alpha = (line * opacity.line + disc * opacity.disc) * (1 - progress)
                pixels.append(premultiplied(colour, alpha))
            }
        }
        return OverlayImage(size: PixelSize(width: side, height: side), pixels: pixels)
    }

    private static func premultiplied(_ colour: UInt32, _ alpha: Double) -> UInt32 {
        func part(_ value: UInt32) -> UInt32 { UInt32((Double(value & 255) * alpha).rounded()) }
        return part(255) << 24 | part(colour >> 16) << 16 | part(colour >> 8) << 8 | part(colour)
    }
}
