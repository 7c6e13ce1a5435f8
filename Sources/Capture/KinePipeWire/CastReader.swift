// Reads the pixels of a cast's buffer as BGRA. BGRA pixels in memory that cannot disappear are passed on directly, so
// the buffer itself is the frame. Other pixels are copied through a band of some rows.
import KineCapture
import KineMedia

/// Reusable memory for a band of rows. Used by one thread.
final class CastReader {
    /// Fits into a core's second-level cache, together with the converted rows.
    private static let bandBytes = 256 << 10

    enum Place: Equatable {
        /// In the buffer of that number.
        case buffer(UInt64)
        /// In this reader's own memory, after `keep`.
        case kept
    }

    private let stream: CastStream
    /// A whole frame, rows packed.
    private var kept = ScratchMemory()
    /// Rows of BGRA.
    private var band = ScratchMemory()
    /// Rows in the buffer's format.
    private var raw = ScratchMemory()

    init(stream: CastStream) { self.stream = stream }

    /// Copies the frame out of a buffer, which can then be returned to the compositor. Returns the frame in this
    /// reader's memory, valid until the next call; nil if the buffer's memory has gone.
    func keep(_ frame: CastFrames.Frame, in number: UInt64) -> CastFrames.Frame? {
        var copy = frame
        (copy.offset, copy.stride) = (0, frame.size.width * frame.pixels.bytes)
        let isThere = stream.reading(number) {
            stream.read(
                number, offset: frame.offset, stride: frame.stride, rowBytes: copy.stride, rows: frame.size.height,
                into: kept.memory(copy.stride * frame.size.height), targetStride: copy.stride)
        }
        return isThere ? copy : nil
    }

    /// Must enclose all calls of `read` for one frame.
    func reading<Result>(_ place: Place, _ body: () -> Result) -> Result {
        switch place {
        case .buffer(let number): stream.reading(number, body)
        case .kept: body()
        }
    }

    /// Passes the pixels of `rect`, a part of the frame, to `receive` in parts; all start on tiles. Returns false if
    /// the buffer's memory has gone.
    func read(
        _ rect: PixelRect, of frame: CastFrames.Frame, in place: Place, into receive: (FramePart) -> Void
    ) -> Bool {
        let first = memory(place).map { $0 + frame.offset }
        if let first, frame.isBGRA(at: first) {
            let pixels = first + rect.y * frame.stride + rect.x * 4
            receive(FramePart(rect: rect, pixels: pixels, stride: frame.stride))
            return true
        }
        for band in bands(of: rect, in: frame) {
            guard let (pixels, stride) = copy(band, of: frame, in: place, from: first) else { return false }
            receive(FramePart(rect: band, pixels: pixels, stride: stride, isScratch: true))
        }
        return true
    }

    /// Nil: the memory is not mapped.
    private func memory(_ place: Place) -> UnsafeRawPointer? {
        switch place {
        case .buffer(let number): stream.memory(of: number)
        case .kept: UnsafeRawPointer(kept.memory(0))
        }
    }

    private func bands(of rect: PixelRect, in frame: CastFrames.Frame) -> some Sequence<PixelRect> {
        let side = DamageRegion.tileSide
        let height = max(side, Self.bandBytes / max(fetchStride(rect, frame), rect.width * 4) / side * side)
        return stride(from: rect.y, to: rect.maxY, by: height).lazy.map { top in
            PixelRect(x: rect.x, y: top, width: rect.width, height: min(height, rect.maxY - top))
        }
    }

    /// The pixels of `rect` as BGRA, valid until the next call; nil if the memory has gone.
    ///
    /// - Parameter first: the frame's first pixel; nil: the buffer's memory is not mapped.
    private func copy(
        _ rect: PixelRect, of frame: CastFrames.Frame, in place: Place, from first: UnsafeRawPointer?
    ) -> (pixels: UnsafeMutableRawPointer, stride: Int)? {
        if frame.pixels.isBGRA { return fetch(rect, of: frame, in: place) }
        let source: (pixels: UnsafeRawPointer, stride: Int)
        if let first {
            source = (first + rect.y * frame.stride + rect.x * frame.pixels.bytes, frame.stride)
        } else {
            guard let fetched = fetch(rect, of: frame, in: place) else { return nil }
            source = (UnsafeRawPointer(fetched.pixels), fetched.stride)
        }
        let (pixels, stride) = (band.memory(rect.size.area * 4), rect.width * 4)
        PackedPixels(frame.pixels).convert(
            source.pixels, stride: source.stride, to: pixels, targetStride: stride, width: rect.width,
            height: rect.height)
        return (pixels, stride)
    }

    /// The pixels of `rect` in their own format; nil if the memory has gone.
    private func fetch(
        _ rect: PixelRect, of frame: CastFrames.Frame, in place: Place
    ) -> (pixels: UnsafeMutableRawPointer, stride: Int)? {
        let (offset, rowBytes) = (
            frame.offset + rect.y * frame.stride + rect.x * frame.pixels.bytes, rect.width * frame.pixels.bytes
        )
        let stride = fetchStride(rect, frame)
        let pixels = raw.memory(stride * rect.height)
        switch place {
        case .buffer(let number):
            let isThere = stream.read(
                number, offset: offset, stride: frame.stride, rowBytes: rowBytes, rows: rect.height, into: pixels,
                targetStride: stride)
            return isThere ? (pixels, stride) : nil
        case .kept:
            let first = kept.memory(0) + offset
            for row in 0..<rect.height {
                (pixels + row * stride).copyMemory(from: first + row * frame.stride, byteCount: rowBytes)
            }
            return (pixels, stride)
        }
    }

    /// Rows copied together with the bytes between them need one call instead of one each. For narrow parts, most of
    /// those bytes would be useless; and words of BGRA must be aligned.
    private func fetchStride(_ rect: PixelRect, _ frame: CastFrames.Frame) -> Int {
        let rowBytes = rect.width * frame.pixels.bytes
        return rowBytes * 2 >= frame.stride && frame.stride.isMultiple(of: 4) ? frame.stride : rowBytes
    }
}

extension CastFrames.Frame {
    /// Whether the pixels, from `first` on, can be passed on directly: their readers read words.
    fileprivate func isBGRA(at first: UnsafeRawPointer) -> Bool {
        pixels.isBGRA && stride.isMultiple(of: 4) && Int(bitPattern: first).isMultiple(of: 4)
    }
}

extension PackedPixels {
    /// The same order of bytes. A cast's fourth byte is unused here.
    fileprivate init(_ pixels: CastFormat.Pixels) {
        self =
            switch pixels {
            case .bgrx, .bgra: .bgra
            case .rgbx, .rgba: .rgba
            case .bgr: .bgr
            case .rgb: .rgb
            }
    }
}
