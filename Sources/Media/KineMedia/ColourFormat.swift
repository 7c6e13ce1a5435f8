// The chroma and the range of coded frames.

/// The sample format of a coded frame. The colours are always BT.709.
public struct ColourFormat: Hashable, Sendable, Codable, CaseIterable {
    /// The chroma samples of a frame, by their common names (ITU-T H.264, table 6-1).
    public enum Chroma: String, Sendable, Codable, CaseIterable {
        /// One sample per plane for every square of four pixels, in its middle.
        case yuv420 = "420"
        /// One sample per plane for every pixel.
        case yuv444 = "444"

        /// The number of samples for a row or column of pixels.
        public func samples(of pixels: Int) -> Int {
            switch self {
            case .yuv420: (pixels + 1) / 2
            case .yuv444: pixels
            }
        }
    }

    public var chroma: Chroma
    /// Luma and chroma use all values of a byte; otherwise luma has 16…235 and chroma 16…240 (ITU-T H.273, 8.3).
    public var isFullRange: Bool

    /// 4:2:0 with limited range, which every player and destination accepts.
    public static let standard = ColourFormat()

    public init(chroma: Chroma = .yuv420, isFullRange: Bool = false) {
        self.chroma = chroma
        self.isFullRange = isFullRange
    }

    /// Each chroma with each range.
    public static let allCases = Chroma.allCases.flatMap { chroma in
        [false, true].map { ColourFormat(chroma: chroma, isFullRange: $0) }
    }

    /// The luma of black. Its chroma is `noColour`.
    public var black: UInt8 { isFullRange ? 0 : 16 }
    /// The chroma of every grey.
    public static let noColour: UInt8 = 128
}
