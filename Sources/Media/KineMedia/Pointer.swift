// The place of a mouse pointer, and the buttons of a mouse.

/// A position in the pixels of a frame. It may be outside the frame.
public struct PixelPoint: Hashable, Sendable {
    public var x: Int
    public var y: Int

    public init(x: Int, y: Int) { (self.x, self.y) = (x, y) }

    public func offset(x dx: Int, y dy: Int) -> PixelPoint { PixelPoint(x: x + dx, y: y + dy) }
}

public enum PointerButton: String, CaseIterable, Codable, Sendable { case left, middle, right }
