// The frames that one sink lost. Later ones cannot be decoded before the next keyframe.

/// Whether a sink lacks frames, and whether the keyframe that ends the gap was asked for. Pure.
enum DecodingGap: Sendable {
    case none
    case unasked
    case asked

    /// True on the first call after a loss: the caller asks for a keyframe. False on later calls.
    mutating func consumeKeyframeRequest() -> Bool {
        guard self == .unasked else { return false }
        self = .asked
        return true
    }
}
