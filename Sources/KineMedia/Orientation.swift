// The turn that brings a frame upright before it is shown.

/// The clockwise turn, in degrees. A screen is `up` unless its take turns it.
public enum Orientation: Int, Sendable, Codable, CaseIterable {
    case up = 0
    case right = 90
    case down = 180
    case left = 270
}
