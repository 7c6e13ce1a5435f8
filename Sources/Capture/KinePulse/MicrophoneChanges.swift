// Counts how often a microphone goes away or is replaced during a take, as a headset does whose profile changes. Pure.

/// Says the first change at once; the others are counted, for one sentence at the end.
struct MicrophoneChanges {
    enum Change: Equatable { case gone, replaced }

    private(set) var count = 0
    private var last: AudioSource?

    /// What to say now, if anything.
    ///
    /// - Parameter source: the source that is recorded from now on; nil: there is none. Not for a microphone that is turned off.
    mutating func follow(_ source: AudioSource?) -> Change? {
        defer { last = source }
        // A source that comes back is no change: its loss was counted.
        guard let last, source != last else { return nil }
        count += 1
        guard count == 1 else { return nil }
        return source == nil ? .gone : .replaced
    }

    /// The microphone was turned off. When it is on again, another source is no change.
    mutating func turnedOff() { last = nil }
}
