// The camera's own frames, for clients that preview it: as the camera gives them, before they are put over the picture.
import KineCapture
import KineImaging
import KineMedia
import KineRings

/// The camera's frames for one feed, all of one size for any camera. Sendable: only the capture thread draws.
final class CameraFrames: @unchecked Sendable {
    let store: FrameStore
    private let layout: FrameLayout
    private let size: PixelSize
    private var renderer: PictureRenderer?

    /// Frames of BGRA that fit into `size`, whose sides are even; the rest of them is black.
    init(size: PixelSize) throws(SharedMemory.Error) {
        self.size = size
        layout = FrameLayout(pixelFormat: .bgra, size: size)
        // The frame being drawn, and the reader's frames.
        let slotCount = 1 + FrameSink.slotsEach
        let memory = try FrameMemory(layout: FrameSlotLayout(layout, visibleSize: size, slotCount: slotCount))
        store = FrameStore(memory, references: SlotReferences(slotCount: slotCount, memory: memory), readers: 1)
    }

    /// Draws the newest frame into a free slot and adds a reference to that slot. Nil if no slot is free.
    func draw(_ source: any VideoSource) -> Int? {
        guard let slot = store.references.firstFree() else { return nil }
        if renderer?.geometry.source != source.size {
            renderer = PictureRenderer(PictureGeometry(source: source.size, crop: .fit, size: size), layout: layout)
        }
        guard let renderer else { return nil }
        var isDrawn = false
        _ = try? source.read(.full(size: source.size)) { part in
            // A camera's frame is one part.
            guard part.rect == PixelRect(size: source.size) else { return }
            renderer.draw(
                .full(size: size), of: .bgra(base: part.pixels, stride: part.stride), at: store.memory.slot(slot))
            isDrawn = true
        }
        guard isDrawn else { return nil }
        store.references.retain(slot)
        return slot
    }
}
