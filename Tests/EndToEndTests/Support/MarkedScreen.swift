// A screen on which a region is drawn: a ground of one colour, and a mark on it that the region is to hold.
import KineMeasure
import KineMedia
import Testing

enum MarkedScreen {
    static let size = PixelSize(width: 640, height: 480)
    static let ground: UInt32 = 0xc0_8040
    static let mark: UInt32 = 0x40_c0c0
    /// What is drawn; the mark fills it.
    static let region = PixelRect(x: 104, y: 56, width: 333, height: 217)
    /// The ground as it is shown while a region is drawn.
    static let dark = ground >> 1 & 0x7f_7f7f

    /// Expects of a take that it shows the screen at first, and the region in the end, and nothing of the drawing in between.
    static func expectSwitchToRegion(in path: String) throws {
        let frames = try ColourFrame.all(in: path)
        let middle = PixelRect(x: 200, y: 120, width: 100, height: 100)
        let corner = PixelRect(x: 8, y: 456, width: 16, height: 16)
        for frame in frames {
            #expect(frame.size == size)
            #expect(frame.distance(from: mark, in: middle) <= 8)
            // The ground, and then the border beside a region of another shape, which is all of the mark's colour.
            #expect(frame.distance(from: ground, in: corner) <= 8 || frame.distance(from: 0, in: corner) <= 8)
        }
        #expect(frames.first.map { $0.distance(from: ground, in: corner) <= 8 } == true)
        #expect(frames.last.map { $0.distance(from: 0, in: corner) <= 8 } == true)
    }
}
