// One frame of a source, upright and at rest.
import Glibc
import KineMedia

/// Words of 0xRRGGBB, whose highest byte has no meaning; rows packed.
package struct StillPicture {
    package private(set) var size: PixelSize
    package private(set) var pixels: [UInt32]

    /// Reads the frame that `source` has now. Nil where it could not be read to its end.
    package init?(of source: any VideoSource) throws(VideoSourceError) {
        let frame = source.size
        guard frame.area > 0 else { return nil }
        var words = [UInt32](repeating: 0, count: frame.area)
        let isComplete = try source.read(.full(size: frame)) { part in
            let rect = part.rect.intersection(PixelRect(size: frame))
            switch part.storage {
            case .memory(let first, let stride):
                words.withUnsafeMutableBytes { target in
                    guard let target = target.baseAddress else { return }
                    for y in 0..<rect.height {
                        memcpy(
                            target + ((rect.y + y) * frame.width + rect.x) * 4, first + y * stride, rect.width * 4)
                    }
                }
            }
        }
        guard isComplete else { return nil }
        self.init(words, frame, source.orientation)
    }

    /// Turns a frame.
    init(_ frame: [UInt32], _ size: PixelSize, _ orientation: Orientation) {
        self.size = orientation.turned(size)
        guard orientation != .up else {
            pixels = frame
            return
        }
        let width = self.size.width
        // The steps of the target for one to the right and one down in the frame, from the place of the first pixel.
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
