// The mouse pointer as a layer over a frame, where it is not in the frame's own pixels. Pure.
import KineMedia

/// The pointer's image, and where it was drawn.
package struct PointerOverlay {
    private var image = OverlayImage.empty
    /// The pixel of `image` that points.
    private var hotSpot = (x: 0, y: 0)
    private var imageChanged = false
    /// The image's place when it was last moved, in the frame's coordinates; nil if it was outside.
    package private(set) var rect: PixelRect?

    package init() {}

    /// The pointer has another image from now on, enlarged by `scale`, from 1 on. The hot spot is a pixel of the image as it is given.
    package mutating func setImage(_ image: OverlayImage, hotSpot: (x: Int, y: Int), scale: Double) {
        func scaled(_ coordinate: Int) -> Int { Int((Double(coordinate) * scale).rounded()) }
        self.image = image.enlarged(by: scale)
        self.hotSpot = (scaled(hotSpot.x), scaled(hotSpot.y))
        imageChanged = true
    }

    /// Has the pointer point at a place of the frame; nil: it is not there. Adds the old and the new place of the image to `damage`,
    /// which is of the frame's size.
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

    /// Draws the pointer over the pixels of `area`, which is a part of the frame.
    package func draw(over pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
        guard let rect else { return }
        image.draw(at: (rect.x, rect.y), over: pixels, stride: stride, area: area)
    }
}
