// One upright frame of a source.
import Glibc
import KineMedia

/// Words of 0xRRGGBB, rows packed. The highest byte is unused.
package struct StillPicture {
    package private(set) var size: PixelSize
    package private(set) var pixels: [UInt32]

    /// Reads the current frame of `source`. Nil if it could not be read completely.
    package init?(of source: any VideoSource) throws(VideoSourceError) {
        let frame = source.size
        guard frame.area > 0 else { return nil }
        var words = [UInt32](repeating: 0, count: frame.area)
        let isComplete = try source.read(.full(size: frame)) { part in
            let rect = part.rect.intersection(PixelRect(size: frame))
            words.withUnsafeMutableBytes { target in
                guard let target = target.baseAddress else { return }
                for y in 0..<rect.height {
                    memcpy(
                        target + ((rect.y + y) * frame.width + rect.x) * 4, part.pixels + y * part.stride,
                        rect.width * 4)
                }
            }
        }
        guard isComplete else { return nil }
        self.init(words, frame, source.orientation)
    }

    init(_ frame: [UInt32], _ size: PixelSize, _ orientation: Orientation) {
        self.size = orientation.turned(size)
        guard orientation != .up else {
            pixels = frame
            return
        }
        let width = self.size.width
        // The target's offsets for one step to the right and down in the frame, from the first pixel's place.
        func place(_ x: Int, _ y: Int) -> Int {
            let rect = orientation.turned(PixelRect(x: x, y: y, width: 1, height: 1), of: size)
            return rect.y * width + rect.x
        }
        let first = place(0, 0)
        let (right, down) = (place(1, 0) - first, place(0, 1) - first)
        pixels = [UInt32](unsafeUninitializedCapacity: size.area) { target, count in
            frame.withUnsafeBufferPointer { frame in
                for y in 0..<size.height {
                    var place = first + y * down
                    for x in 0..<size.width {
                        target[place] = frame[y * size.width + x]
                        place += right
                    }
                }
            }
            count = size.area
        }
    }
}
