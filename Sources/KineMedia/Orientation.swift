// How a frame has to be turned before it is shown.

/// Clockwise turn, in degrees, that brings the frame upright. A screen is `up` unless its take turns it.
public enum Orientation: Int, Sendable, Codable, CaseIterable {
    case up = 0
    case right = 90
    case down = 180
    case left = 270
}
