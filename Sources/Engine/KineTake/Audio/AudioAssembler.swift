// Moves audio from the lanes to the tracks along the take's timeline: decides up to which instant it is complete, cuts
// out pauses to the sample, and appends the same stretch to every track. No threads, no clock.
import KineCodecs

/// Belongs to the audio thread.
final class AudioAssembler {
    let grid: SampleGrid
    let tracks: [AudioTrack]
    /// The instant of CLOCK_MONOTONIC up to which the tracks have audio; nil before the take's origin is known.
    private(set) var cursor: Int64?
    /// Samples of the take's time appended to each track.
    private(set) var written: Int64 = 0
    private var nextPlace: Int64?

    /// Nanoseconds without audio after which a device counts as silent.
    static let timeout: Int64 = 1_500_000_000
    /// Nanoseconds of audio held back, so that a pause declared "now" by another thread still comes in time.
    static let margin: Int64 = 100_000_000
    /// The same in a live take. After a pause that comes too late, audio is left out until the surplus is gone.
    static let liveMargin: Int64 = 8_000_000
    /// Nanoseconds of audio kept while the take's origin is not known yet.
    static let prelude: Int64 = 3_000_000_000

    /// Nanoseconds of audio held back from now on.
    var margin: Int64
    var meter: AudioMeter

    init(
        grid: SampleGrid, tracks: [AudioTrack], margin: Int64 = AudioAssembler.margin, meter: AudioMeter = AudioMeter()
    ) {
        self.grid = grid
        self.tracks = tracks
        self.margin = margin
        self.meter = meter
    }

    /// The instant up to which every playing lane has delivered. Ignores a stuck lane until it has caught up: its
    /// silence must reach the file together with other audio.
    func horizon(now: Int64) -> Int64 {
        var horizon = now - margin
        for track in tracks {
            for lane in track.lanes where lane.isPlaced && !lane.isClosed {
                let end = grid.instant(of: lane.store.end)
                if end > now - Self.timeout { horizon = min(horizon, end) }
            }
        }
        return horizon
    }

    /// Whether every lane that plays has delivered up to an instant.
    func isComplete(upTo instant: Int64) -> Bool {
        let place = grid.count(before: instant)
        return tracks.allSatisfy { track in
            track.lanes.allSatisfy { !$0.isPlaced || $0.isClosed || $0.store.end >= place }
        }
    }

    /// Hands all recorded audio from the cursor up to `instant` to the tracks. Gaps in the lanes are silence.
    func advance(to instant: Int64, timeline: TakeTimeline) throws(AudioEncoderError) {
        guard let origin = timeline.origin else { return discard(before: instant - Self.prelude) }
        let from = cursor ?? origin
        guard instant > from else { return }
        for part in timeline.recordedParts(of: from..<instant) {
            // Takes both ends from the timeline instead of adding up lengths, so that no pause leaves a remainder.
            let total = grid.count(before: timeline.mediaTime(at: part.upperBound).nanoseconds)
            let count = total - written
            guard count > 0 else { continue }
            let early = timeline.mediaTime(at: part.lowerBound).nanoseconds
            let place = place(of: part.lowerBound + grid.instant(of: written) - early)
            for track in tracks { try track.append(count, from: place) }
            meter.measure(tracks, in: place..<place + count)
            nextPlace = place + count
            written = total
        }
        cursor = instant
        discard(before: instant)
    }

    /// The sample at an instant, or the next one if the last stretch simply continues: rounding must leave no gap.
    private func place(of instant: Int64) -> Int64 {
        let nearest = grid.nearest(to: instant)
        if let nextPlace, abs(nearest - nextPlace) <= 1 { return nextPlace }
        return nearest
    }

    /// Delivers all that the tracks still hold.
    func finish() throws(AudioEncoderError) {
        for track in tracks { try track.finish() }
    }

    func discard(before instant: Int64) {
        // Keeps one sample more than asked for: by rounding, the next stretch may begin one sample earlier.
        let place = grid.nearest(to: instant) - 2
        for track in tracks {
            for lane in track.lanes { lane.discard(before: place) }
            track.lanes.removeAll { $0.isClosed && $0.store.end <= place }
        }
    }
}

/// Sample number n of a grid is at n / rate seconds, of CLOCK_MONOTONIC or of the take's own time.
struct SampleGrid: Sendable, Equatable {
    /// Samples a second.
    let rate: Int

    /// The place of an instant (nanoseconds) among the samples, with its fraction.
    func position(of instant: Int64) -> Double {
        // Whole seconds apart: months of nanoseconds times the rate are more than a Double holds exactly.
        let (whole, rest) = instant.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Double(whole * Int64(rate)) + Double(rest) * Double(rate) / 1e9
    }

    func nearest(to instant: Int64) -> Int64 { Int64(position(of: instant).rounded()) }

    /// The count of samples before an instant that is not negative: the number of the first one at or after it.
    func count(before instant: Int64) -> Int64 {
        let (whole, rest) = max(0, instant).quotientAndRemainder(dividingBy: 1_000_000_000)
        return whole * Int64(rate) + (rest * Int64(rate) + 999_999_999) / 1_000_000_000
    }

    /// The instant of a sample, rounded down to the nanosecond.
    func instant(of sample: Int64) -> Int64 {
        let (whole, rest) = sample.quotientAndRemainder(dividingBy: Int64(rate))
        return whole * 1_000_000_000 + rest * 1_000_000_000 / Int64(rate)
    }
}
