// Sizes and rectangles in whole pixels. The origin is at the top left.

/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable, Codable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    public var area: Int { width * height }

    /// The size for 4:2:0 coding: both sides rounded up to even.
    public var roundedUpToEven: PixelSize { PixelSize(width: (width + 1) & ~1, height: (height + 1) & ~1) }

    /// The largest size of this shape that fits into `limit`, its sides rounded to whole pixels and at least 1.
    public func aspectFit(into limit: PixelSize) -> PixelSize {
        // Cross-multiplied to find the limiting side, so that nothing is rounded twice.
        let isWide = width * limit.height >= height * limit.width
        return PixelSize(
            width: isWide ? limit.width : max(1, (width * limit.height + height / 2) / height),
            height: isWide ? max(1, (height * limit.width + width / 2) / width) : limit.height)
    }
}

/// A rectangle in pixels. An empty one has no width or no height.
public struct PixelRect: Hashable, Sendable, Codable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    public init(origin: (x: Int, y: Int) = (0, 0), size: PixelSize) {
        self.init(x: origin.x, y: origin.y, width: size.width, height: size.height)
    }

    public var size: PixelSize { PixelSize(width: width, height: height) }
    public var maxX: Int { x + width }
    public var maxY: Int { y + height }
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    public func contains(_ point: PixelPoint) -> Bool {
        point.x >= x && point.y >= y && point.x < maxX && point.y < maxY
    }

    /// The common part; empty if they do not meet.
    public func intersection(_ other: PixelRect) -> PixelRect {
        let left = max(x, other.x)
        let top = max(y, other.y)
        return PixelRect(
            x: left, y: top, width: max(0, min(maxX, other.maxX) - left), height: max(0, min(maxY, other.maxY) - top))
    }

    /// The smallest rectangle around both.
    public func union(_ other: PixelRect) -> PixelRect {
        if isEmpty { return other }
        if other.isEmpty { return self }
        let (left, top) = (min(x, other.x), min(y, other.y))
        return PixelRect(
            x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
    }

    public func offset(x dx: Int, y dy: Int) -> PixelRect {
        PixelRect(x: x + dx, y: y + dy, width: width, height: height)
    }
}
