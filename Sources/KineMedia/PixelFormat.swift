// The pixel formats of uncompressed frames.

/// Colours are BT.709; the 4:2:0 formats have limited range.
public enum PixelFormat: String, Sendable, Codable, CaseIterable {
    /// Planes Y, U, V; the chroma planes half as wide and half as high.
    case i420
    /// A plane Y and a plane of U and V in turn.
    case nv12
    /// Four bytes a pixel: blue, green, red, and one without meaning.
    case bgra

    /// For each plane of a frame of this size, the bytes of a row that mean something, and its rows.
    public func planeExtents(of size: PixelSize) -> [(rowBytes: Int, rows: Int)] {
        let (width, height) = (size.width, size.height)
        return switch self {
        case .i420: [(width, height), (width / 2, height / 2), (width / 2, height / 2)]
        case .nv12: [(width, height), (width, height / 2)]
        case .bgra: [(width * 4, height)]
        }
    }
}
