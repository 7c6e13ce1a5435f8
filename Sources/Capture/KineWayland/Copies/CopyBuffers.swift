// The two buffers of an output's copies: one is read while the compositor draws into the other.
import KineCapture
import KineMedia

/// Used on the connection's thread.
struct CopyBuffers {
    /// What of a buffer is the frame.
    struct View: Equatable {
        /// Of the buffer, in its pixels.
        var part: PixelRect
        /// The rows are from the bottom up.
        var isUpsideDown = false
    }

    private let memory: OpaquePointer
    private let connection: WaylandConnection
    /// The buffer that the compositor draws next.
    private var next: CopyBuffer?
    /// The buffer that is read.
    private var current: (buffer: CopyBuffer, view: View)?

    /// `memory` is the compositor's wl_shm.
    init(memory: OpaquePointer, _ connection: WaylandConnection) {
        self.memory = memory
        self.connection = connection
    }

    /// The size of the frame that is read; nil: there was none yet.
    var size: PixelSize? { current?.view.part.size }

    /// The object of the buffer that the compositor draws next, which gets this layout if it has another.
    mutating func next(_ layout: CopyBuffer.Layout) throws(VideoSourceError) -> OpaquePointer {
        if let next, next.layout == layout { return next.proxy }
        next = nil  // before the new one, which may be as large
        let made = try CopyBuffer(layout, memory: memory, connection)
        next = made
        return made.proxy
    }

    /// Reads what the compositor has drawn from now on; what was read before is drawn next. Returns whether the frame has another view or
    /// buffer size than the one before, and whether its own size is another.
    mutating func exchange(_ view: View) -> (isOther: Bool, isResized: Bool) {
        guard let drawn = next else { return (false, false) }
        let before = current
        current = (drawn, view)
        next = before?.buffer
        return (
            before?.view != view || before?.buffer.layout.size != drawn.layout.size,
            before?.view.part.size != view.part.size
        )
    }

    /// The pixel at the upper left of `rect` in the frame that is read, and the bytes from one row to the next, which are negative where
    /// the compositor's rows are from the bottom up.
    func pixels(of rect: PixelRect) -> (first: UnsafeRawPointer, stride: Int, packing: PackedPixels)? {
        guard let (buffer, view) = current else { return nil }
        let (layout, packing) = (buffer.layout, buffer.packing)
        let y = rect.y + view.part.y
        let row = view.isUpsideDown ? layout.size.height - 1 - y : y
        let first = buffer.pixels + row * layout.stride + (rect.x + view.part.x) * packing.bytesPerPixel
        return (first, view.isUpsideDown ? -layout.stride : layout.stride, packing)
    }
}
