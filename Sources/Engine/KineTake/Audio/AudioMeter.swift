// The levels of a take's audio as it is recorded: after the microphone's channels were mixed, before the sources are, and
// without pauses.
import KineMedia

/// Measures only while a client asks. Belongs to the audio thread.
struct AudioMeter {
    /// Nanoseconds of audio from one report to the next, at least.
    static let interval: Int64 = 100_000_000

    private(set) var isOn = false
    /// The number of peaks that were computed so far.
    private(set) var computedPeaks = 0
    /// The take's sources, each with a track that has all of its lanes.
    private let tracks: [AudioSource: Int]
    /// The highest peaks since the last report.
    private var peaks: [AudioSource: Float] = [:]
    private var reported: AudioLevels?
    private var nextReport = Int64.min

    init(tracks: [AudioSource: Int] = [:]) { self.tracks = tracks }

    /// Turned on once more, it repeats the levels, for the client that has asked last.
    mutating func set(isOn: Bool) {
        (self.isOn, reported) = (isOn, nil)
        if !isOn { peaks = [:] }
    }

    /// Measures a recorded range of the grid.
    mutating func measure(_ tracks: [AudioTrack], in range: Range<Int64>) {
        guard isOn else { return }
        for (source, track) in self.tracks {
            for lane in tracks[track].lanes where lane.source == source {
                peaks[source] = max(peaks[source] ?? 0, lane.store.peak(in: range))
                computedPeaks += 1
            }
        }
    }

    /// The levels at `instant`, nanoseconds of CLOCK_MONOTONIC; nil: none are due, or they have not changed.
    mutating func report(at instant: Int64?) -> AudioLevels? {
        guard isOn, let instant, instant >= nextReport else { return nil }
        nextReport = instant + Self.interval
        let levels = AudioLevels(app: level(of: .app), microphone: level(of: .microphone))
        peaks = [:]
        defer { reported = levels }
        return levels == reported ? nil : levels
    }

    /// The levels of audio that has ended before the take.
    mutating func reportSilence() -> AudioLevels? {
        (peaks, nextReport) = ([:], .min)
        return report(at: 0)
    }

    private func level(of source: AudioSource) -> Double? {
        tracks[source] == nil ? nil : AudioLevels.level(ofPeak: peaks[source] ?? 0)
    }
}
