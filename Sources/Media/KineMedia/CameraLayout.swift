// The position and look of a camera in a picture, in fractions that suit every picture size.

/// The position, size and look of a camera in a picture.
public struct CameraLayout: Hashable, Codable, Sendable {
    public enum Shape: String, Codable, Sendable, CaseIterable {
        /// All of the camera's frame.
        case rectangle
        /// All of the camera's frame, with round corners.
        case rounded
        /// The middle of the camera's frame.
        case circle
    }

    /// A line around the camera, inside its edge.
    public struct Border: Hashable, Codable, Sendable {
        /// A fraction of the camera's height, 0…0.5.
        public var width: Double
        /// 0xRRGGBB.
        public var colour: UInt32

        public init(width: Double = 0.02, colour: UInt32 = 0xffffff) {
            self.width = width
            self.colour = colour
        }
    }

    /// From the left edge of the picture (0) to the right one (1).
    public var x: Double
    /// From the upper edge of the picture (0) to the lower one (1).
    public var y: Double
    /// The camera's height as a fraction of the picture's, 0.02…1. Reduced if the camera is wider than the picture.
    public var size: Double
    public var shape: Shape
    /// Whether left and right are exchanged, as in a mirror.
    public var isMirrored: Bool
    public var border: Border?

    /// The fraction of the picture's smaller side that stays free at a corner.
    public static let margin = 0.02

    public init(
        x: Double = 1, y: Double = 1, size: Double = 0.25, shape: Shape = .rounded, isMirrored: Bool = false,
        border: Border? = nil
    ) {
        self.x = x
        self.y = y
        self.size = size
        self.shape = shape
        self.isMirrored = isMirrored
        self.border = border
    }

    private static let places: [String: (x: Double, y: Double)] = [
        "top-left": (0, 0), "top": (0.5, 0), "top-right": (1, 0), "left": (0, 0.5), "center": (0.5, 0.5),
        "right": (1, 0.5), "bottom-left": (0, 1), "bottom": (0.5, 1), "bottom-right": (1, 1),
    ]

    /// The place that an option names: a corner, an edge, `center`, or two fractions such as `0.5,1`. Nil: it names none.
    public static func place(option text: String) -> (x: Double, y: Double)? {
        if let place = places[text] { return place }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let x = Double(parts[0]), let y = Double(parts[1]), (0...1).contains(x),
            (0...1).contains(y)
        else { return nil }
        return (x, y)
    }

    /// Whether all of its numbers are in their ranges.
    public var isValid: Bool {
        (0...1).contains(x) && (0...1).contains(y) && (0.02...1).contains(size)
            && border.map { (0...0.5).contains($0.width) && $0.colour <= 0xffffff } ?? true
    }

    /// The geometry of a camera's frames of that size in a picture.
    public func geometry(of camera: PixelSize, in picture: PixelSize) -> PictureGeometry {
        let height = min(max(1, Int((Double(picture.height) * size).rounded())), picture.height)
        let side: PixelSize
        switch shape {
        case .circle:
            let diameter = min(height, picture.width)
            side = PixelSize(width: diameter, height: diameter)
        case .rectangle, .rounded:
            side = camera.aspectFit(into: PixelSize(width: picture.width, height: height))
        }
        // A camera that fills the picture has no margin.
        let margin = Double(min(picture.width, picture.height)) * Self.margin
        func place(_ fraction: Double, _ length: Int, in whole: Int) -> Int {
            let free = Double(whole - length)
            let kept = min(margin, free / 2)
            return Int((kept + (free - 2 * kept) * fraction).rounded())
        }
        return PictureGeometry(
            source: camera, orientation: isMirrored ? .upMirrored : .up,
            place: PixelRect(
                x: place(x, side.width, in: picture.width), y: place(y, side.height, in: picture.height),
                width: side.width, height: side.height),
            in: picture)
    }
}
