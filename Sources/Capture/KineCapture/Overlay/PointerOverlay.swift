// The mouse pointer as a layer over frames that do not contain it. Pure.
import KineMedia

package struct PointerOverlay {
    private var image = OverlayImage.empty
    /// The pixel of `image` at the pointer's position.
    private var hotSpot = (x: 0, y: 0)
    private var imageChanged = false
    /// The image's rectangle at the last move, in the frame's coordinates; nil if it was outside.
    package private(set) var rect: PixelRect?

    package init() {}

    /// Sets the pointer's image, enlarged by `scale` (at least 1). The hot spot is a pixel of the given image.
    package mutating func setImage(_ image: OverlayImage, hotSpot: (x: Int, y: Int), scale: Double) {
        func scaled(_ coordinate: Int) -> Int { Int((Double(coordinate) * scale).rounded()) }
        self.image = image.enlarged(by: scale)
        self.hotSpot = (scaled(hotSpot.x), scaled(hotSpot.y))
        imageChanged = true
    }

    /// Moves the pointer in the frame; nil: it is outside. Adds the image's old and new rectangle to `damage`, which
    /// has the frame's size.
    package mutating func move(to pointer: (x: Int, y: Int)?, damage: inout DamageRegion) {
        var next: PixelRect?
        if let pointer {
            let placed = PixelRect(origin: (pointer.x - hotSpot.x, pointer.y - hotSpot.y), size: image.size)
            if !placed.intersection(PixelRect(size: damage.size)).isEmpty { next = placed }
        }
        guard next != rect || imageChanged else { return }
        imageChanged = false
        if let rect { damage.insert(rect) }
        if let next { damage.insert(next) }
        rect = next
    }

    /// Draws the pointer over the pixels of `area`, a part of the frame.
    package func draw(over pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
        guard let rect else { return }
        image.draw(at: (rect.x, rect.y), over: pixels, stride: stride, area: area)
    }
}
