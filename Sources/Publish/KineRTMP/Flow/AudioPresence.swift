// Decides whether a connection announces audio. Servers and players wait for an announced track, even if nothing comes of it.

/// Whether a stream's audio has something. Times are nanoseconds on any steady clock.
///
/// A publisher may have promised audio that its source never gives. A stream that is announced without it can get it later, but
/// some servers then leave it out, so the first frame waits for audio for a moment.
public struct AudioPresence: Hashable, Sendable {
    /// Nanoseconds for which the first frame of a connection waits. Audio that is older counts as none.
    public static let longestWait: Int64 = 1_000_000_000

    private var newest: Int64?
    private var waitingSince: Int64?

    public init() {}

    /// The source gave a sample of audio.
    public mutating func received(now: Int64) { newest = now }

    /// A new connection waits anew.
    public mutating func connected() { waitingSince = nil }

    /// Whether to announce audio; nil: that is not known yet. Call when there is something to send.
    public mutating func isAnnounced(now: Int64) -> Bool? {
        if let newest, now - newest <= Self.longestWait { return true }
        let since = waitingSince ?? now
        waitingSince = since
        return now - since >= Self.longestWait ? false : nil
    }
}
