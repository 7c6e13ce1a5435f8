// The frames that one sink lost. What follows them cannot be decoded before the next keyframe.

/// Whether a sink lacks frames, and whether the keyframe that ends the gap was asked for. Pure.
enum DecodingGap: Sendable {
    case none
    case unasked
    case asked

    /// Whether the keyframe has to be asked for now; says so once.
    mutating func consumeKeyframeRequest() -> Bool {
        guard self == .unasked else { return false }
        self = .asked
        return true
    }
}
