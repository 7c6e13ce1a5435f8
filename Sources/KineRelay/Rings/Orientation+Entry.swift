// An orientation in the table of frames. Earlier versions know the four turns only, as degrees; they drop a frame with another value.
import KineMedia

extension Orientation {
    /// Degrees, clockwise; for mirrored frames, which earlier versions do not get, EXIF's value.
    var entry: Int64 {
        switch self {
        case .up: 0
        case .right: 90
        case .down: 180
        case .left: 270
        case .upMirrored, .downMirrored, .leftMirrored, .rightMirrored: Int64(rawValue)
        }
    }

    /// Nil: no orientation of this version.
    init?(entry: Int64) {
        guard let orientation = Self.allCases.first(where: { $0.entry == entry }) else { return nil }
        self = orientation
    }
}
