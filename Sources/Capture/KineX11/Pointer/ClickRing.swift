// The picture of a ring round a click. Pure.
import Glibc
import KineCapture
import KineMedia

enum ClickRing {
    /// Colours that people who cannot tell red from green tell apart: amber, magenta and blue, as 0xRRGGBB.
    static func colour(of button: ClickStateMachine.Button) -> UInt32 {
        switch button {
        case .left: 0xffb000
        case .middle: 0xdc267f
        case .right: 0x648fff
        }
    }

    /// Pixels from the middle to the line's middle while the button is held, and when it has faded.
    private static let radius = (held: 18.0, faded: 30.0)
    private static let lineWidth = 3.0
    /// The opacity of the line, and of the disc inside.
    private static let opacity = (line: 0.9, disc: 0.2)

    /// The image of a ring whose middle is that of its middle pixel: both sides are odd.
    static func image(_ button: ClickStateMachine.Button, step: Int, scale: Double) -> OverlayImage {
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
                // The part of the pixel that the line covers, so that its edges are smooth.
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
