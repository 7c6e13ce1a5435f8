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
        // Where it is back after a while, its loss was counted.
        guard let last, source != last else { return nil }
        count += 1
        guard count == 1 else { return nil }
        return source == nil ? .gone : .replaced
    }

    /// It is turned off, and may be another one when it is on again.
    mutating func turnedOff() { last = nil }
}
