// How the pixels of an uncompressed frame lie in memory.

/// Colours are BT.709; the 4:2:0 formats have limited range.
public enum PixelFormat: String, Sendable, Codable, CaseIterable {
    /// Planes Y, U, V; the chroma planes half as wide and half as high.
    case i420
    /// A plane Y and a plane of U and V in turn.
    case nv12
    /// Four bytes a pixel: blue, green, red, and one without meaning.
    case bgra
}
