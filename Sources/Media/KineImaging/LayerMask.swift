// The shape of a layer: its visible part and its border, with smooth edges.
import CPixels
import KineMedia

/// The weights of a layer's pixels and of its border's colour, in the size of its place.
public final class LayerMask {
    let size: PixelSize
    /// A BGRA pixel.
    private let colour: UInt32
    /// For each pixel, the layer's weight and the border's, in 1/255ths.
    private let weights: UnsafeMutablePointer<UInt8>

    /// The radius of a rounded layer's corners, as a fraction of its smaller side.
    private static let cornerRadius = 0.12

    /// Nil for a rectangle without a border.
    public init?(_ layout: CameraLayout, size: PixelSize) {
        let border = layout.border.map { $0.width * Double(size.height) } ?? 0
        guard layout.shape != .rectangle || border > 0 else { return nil }
        self.size = size
        colour = layout.border?.colour ?? 0
        weights = .allocate(capacity: size.area * 2)
        let half = (x: Double(size.width) / 2, y: Double(size.height) / 2)
        let smaller = min(half.x, half.y)
        let radius =
            switch layout.shape {
            case .rectangle: 0.0
            case .rounded: smaller * 2 * Self.cornerRadius
            case .circle: smaller
            }
        for y in 0..<size.height {
            for x in 0..<size.width {
                // The distance from the pixel's centre to the edge; negative inside.
                let across = abs(Double(x) + 0.5 - half.x) - half.x + radius
                let down = abs(Double(y) + 0.5 - half.y) - half.y + radius
                let corner = (max(across, 0) * max(across, 0) + max(down, 0) * max(down, 0)).squareRoot()
                let distance = corner + min(max(across, down), 0) - radius
                let covered = Self.weight(distance)
                let inner = border > 0 ? Self.weight(distance + border) : covered
                weights[(y * size.width + x) * 2] = inner
                weights[(y * size.width + x) * 2 + 1] = covered - inner
            }
        }
    }

    deinit { weights.deallocate() }

    private static func weight(_ distance: Double) -> UInt8 {
        UInt8((min(max(0.5 - distance, 0), 1) * 255).rounded())
    }

    /// Draws `pixels`, which belong to `rect` of the layer's place, over others.
    func draw(
        _ pixels: UnsafeRawPointer, stride: Int, _ rect: PixelRect, over target: UnsafeMutableRawPointer,
        targetStride: Int
    ) {
        kine_blend_masked(
            pixels.assumingMemoryBound(to: UInt8.self), stride, weights + (rect.y * size.width + rect.x) * 2,
            size.width * 2, colour, target.assumingMemoryBound(to: UInt8.self), targetStride, Int32(rect.width),
            Int32(rect.height))
    }
}
