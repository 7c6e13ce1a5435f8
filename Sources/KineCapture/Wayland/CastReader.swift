// Reads the pixels of a cast's buffer as BGRA. Where they are BGRA already, in memory that cannot go away, they are handed on as they
// are: the buffer itself is the frame. Everything else goes through a band of some rows.
import CYUV
import KineMedia

/// Memory for a band of rows, used again for each. Used by one thread.
final class CastReader {
    /// Fits into a core's second cache, with what is made of it.
    private static let bandBytes = 256 << 10

    private let stream: CastStream
    /// Rows of BGRA.
    private var band = Scratch()
    /// Rows as the buffer has them.
    private var raw = Scratch()

    init(stream: CastStream) { self.stream = stream }

    /// Hands the pixels of `rect`, a part of the frame that starts on tiles, on to `receive`, in parts that start on tiles. Returns false
    /// where the buffer's memory is gone.
    ///
    /// - Parameters:
    ///   - number: the buffer's.
    ///   - cursor: drawn over the parts; nil: none.
    func read(
        _ rect: PixelRect, of frame: CastFrames.Frame, in number: UInt64, cursor: CastCursor?,
        into receive: (FramePart) -> Void
    ) -> Bool {
        let memory = stream.memory(of: number)
        guard let memory, frame.pixels.isBGRA else {
            return copy(rect, of: frame, in: number, from: memory, cursor: cursor, into: receive)
        }
        for piece in Self.pieces(of: rect, around: cursor?.rect) {
            guard piece.hasCursor else {
                let first = memory + frame.offset + piece.rect.y * frame.stride + piece.rect.x * 4
                receive(
                    FramePart(rect: piece.rect, pixelFormat: .bgra, storage: .memory(first, stride: frame.stride)))
                continue
            }
            guard copy(piece.rect, of: frame, in: number, from: memory, cursor: cursor, into: receive) else {
                return false
            }
        }
        return true
    }

    /// The rows of tiles of `rect` that `cursor` touches, and those above and below: only the former are copied.
    static func pieces(of rect: PixelRect, around cursor: PixelRect?) -> [(rect: PixelRect, hasCursor: Bool)] {
        guard let common = cursor?.intersection(rect), !common.isEmpty else { return [(rect, false)] }
        let side = DamageRegion.tileSide
        let top = common.y / side * side
        let bottom = min((common.maxY + side - 1) / side * side, rect.maxY)
        return [(rect.y, top, false), (top, bottom, true), (bottom, rect.maxY, false)].compactMap {
            from, to, isTouched in
            guard from < to else { return nil }
            return (PixelRect(x: rect.x, y: from, width: rect.width, height: to - from), isTouched)
        }
    }

    private func copy(
        _ rect: PixelRect, of frame: CastFrames.Frame, in number: UInt64, from memory: UnsafeRawPointer?,
        cursor: CastCursor?, into receive: (FramePart) -> Void
    ) -> Bool {
        let rowBytes = rect.width * frame.pixels.bytes
        // Whole rows in one piece take one call instead of one for each; with narrow parts, most of such a piece would be of no use.
        let rawStride = memory == nil && rowBytes * 2 >= frame.stride ? frame.stride : rowBytes
        let side = DamageRegion.tileSide
        let height = max(side, Self.bandBytes / max(rawStride, rect.width * 4) / side * side)
        for top in stride(from: rect.y, to: rect.maxY, by: height) {
            let part = PixelRect(x: rect.x, y: top, width: rect.width, height: min(height, rect.maxY - top))
            let offset = frame.offset + part.y * frame.stride + part.x * frame.pixels.bytes
            var (pixels, stride) = (raw.memory(rawStride * part.height), rawStride)
            if frame.pixels.isBGRA || memory == nil {
                guard
                    stream.read(
                        number, offset: offset, stride: frame.stride, rowBytes: rowBytes, rows: part.height,
                        into: pixels,
                        targetStride: rawStride)
                else { return false }
            }
            if !frame.pixels.isBGRA {
                let (source, sourceStride) =
                    memory.map { ($0 + offset, frame.stride) } ?? (UnsafeRawPointer(pixels), rawStride)
                (pixels, stride) = (band.memory(part.size.area * 4), part.width * 4)
                frame.pixels.convert(source, stride: sourceStride, to: pixels, stride: stride, size: part.size)
            }
            cursor?.draw(over: pixels, stride: stride, area: part)
            receive(FramePart(rect: part, pixelFormat: .bgra, storage: .memory(pixels, stride: stride)))
        }
        return true
    }
}

/// Memory that only grows.
private struct Scratch: ~Copyable {
    private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { bytes.deallocate() }

    /// At least `count` bytes, of which the contents are lost at the next call.
    mutating func memory(_ count: Int) -> UnsafeMutableRawPointer {
        if let base = bytes.baseAddress, count <= bytes.count { return base }
        bytes.deallocate()
        let base = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
        bytes = UnsafeMutableRawBufferPointer(start: base, count: count)
        return base
    }
}

extension CastFormat.Pixels {
    /// Writes pixels of this format as BGRA. Strides are in bytes.
    fileprivate func convert(
        _ source: UnsafeRawPointer, stride: Int, to target: UnsafeMutableRawPointer, stride targetStride: Int,
        size: PixelSize
    ) {
        let from = source.assumingMemoryBound(to: UInt8.self)
        let to = target.assumingMemoryBound(to: UInt8.self)
        let (width, height) = (Int32(size.width), Int32(size.height))
        let (step, targetStep) = (Int32(stride), Int32(targetStride))
        // libyuv names components from the highest byte of a word to the lowest: its ARGB is BGRA in memory. Its RGB24 is BGR, its RAW RGB.
        switch self {
        case .bgrx, .bgra: ARGBCopy(from, step, to, targetStep, width, height)
        case .rgbx, .rgba: ABGRToARGB(from, step, to, targetStep, width, height)
        case .bgr: RGB24ToARGB(from, step, to, targetStep, width, height)
        case .rgb: RAWToARGB(from, step, to, targetStep, width, height)
        }
    }
}
