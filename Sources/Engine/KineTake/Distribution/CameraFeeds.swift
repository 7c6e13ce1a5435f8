// The camera's own frames, for clients that preview it: as the camera gives them, before they are put over the picture.
import KineCapture
import KineImaging
import KineMedia
import KineRings
import Synchronization

/// The feeds of the camera's frames. The capture thread draws them; feeds come and go on any thread.
final class CameraFeeds: Sendable {
    /// The memory of one feed's frames: of one size, whatever camera is shown.
    final class Output: @unchecked Sendable {
        // Sendable: all but the constants is used by the capture thread alone.
        let memory: FrameMemory
        let loans: SlotLoans
        private let layout: FrameLayout
        private let size: PixelSize
        private var renderer: PictureRenderer?

        /// Frames of BGRA that fit into `size`, whose sides are even; the rest of them is black.
        init(size: PixelSize) throws(SharedMemory.Error) {
            self.size = size
            layout = FrameLayout(pixelFormat: .bgra, size: size)
            // The one being drawn, and what the reader has.
            let slotCount = 1 + FrameSink.slotsEach
            memory = try FrameMemory(layout: FrameSlotLayout(layout, visibleSize: size, slotCount: slotCount))
            loans = SlotLoans(slotCount: slotCount, memory: memory)
        }

        /// Draws the newest frame into a free slot and lends that slot once. Nil if no slot is free.
        fileprivate func draw(_ source: any VideoSource) -> Int? {
            guard let slot = loans.firstFree() else { return nil }
            if renderer?.geometry.source != source.size {
                renderer = PictureRenderer(PictureGeometry(source: source.size, crop: .fit, size: size), layout: layout)
            }
            guard let renderer else { return nil }
            var isDrawn = false
            _ = try? source.read(.full(size: source.size)) { part in
                // All of a camera's frame is one part.
                guard part.rect == PixelRect(size: source.size), case .memory(let pixels, let stride) = part.storage
                else {
                    return
                }
                renderer.draw(.full(size: size), of: .bgra(base: pixels, stride: stride), at: memory.slot(slot))
                isDrawn = true
            }
            guard isDrawn else { return nil }
            loans.retain(slot)
            return slot
        }
    }

    private let feeds = Mutex<[(feed: SampleFeed, output: Output)]>([])
    /// Cameras do not say how long a frame is shown.
    private static let duration = MediaTime.seconds(1.0 / 30)

    func add(_ feed: SampleFeed, _ output: Output) { feeds.withLock { $0.append((feed, output)) } }

    func remove(_ feed: SampleFeed) { feeds.withLock { $0.removeAll { $0.feed === feed } } }

    /// Hands the newest frame on. On the capture thread.
    func deliver(_ source: any VideoSource, at time: MediaTime) {
        for (feed, output) in feeds.withLock({ $0 }) {
            feed.frames?.reclaim()
            guard let slot = output.draw(source) else { continue }
            feed.offer(slot: slot, at: time, duration: Self.duration, changed: .full(size: output.memory.layout.size))
            output.loans.release(slot)
        }
    }
}
