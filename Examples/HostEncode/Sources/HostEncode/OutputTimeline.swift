// Times of samples from many takes, on one timeline that never goes back.
import KineMedia

/// The publisher's times. A take's presentation times begin with its first frame, and a new take begins again from zero; a server
/// wants times that rise for as long as it is connected.
///
/// Within a take, video and audio are moved by the same offset, so they stay together, also when the extension or the server was
/// away. A new offset begins where the take's time makes a step that the clock does not explain.
struct OutputTimeline {
    private var offset = MediaTime.zero
    /// The newest sample.
    private var newest: (source: MediaTime, output: MediaTime, now: MediaTime)?

    /// Audio may come this much later than the frames of the same time.
    private static let latestAudio = MediaTime.seconds(1)
    /// A step ahead of the clock that is still the same take's: samples that waited come all at once.
    private static let longestBurst = MediaTime.seconds(5)
    /// From the last frame of a take to the first of the next, at least.
    private static let interval = MediaTime.milliseconds(40)

    /// The time to publish a sample with. `now` is a steady clock's.
    mutating func output(of source: MediaTime, now: MediaTime) -> MediaTime {
        if let newest {
            let step = source - newest.source
            let elapsed = now - newest.now
            if step < .zero - Self.latestAudio || step > elapsed + Self.longestBurst {
                offset = newest.output + max(elapsed, Self.interval) - source
                self.newest = nil
            }
        } else {
            // The stream begins with this app's first sample, not with the take's.
            offset = .zero - source
        }
        let output = source + offset
        if newest.map({ source > $0.source }) ?? true { newest = (source, output, now) }
        return output
    }
}

extension MediaTime {
    /// Nanoseconds of a steady clock.
    static var now: MediaTime {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return MediaTime(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    private static let start = ContinuousClock.now
}
