// The audio of one device or application on its way to a track: from chunks at the device's own pace to samples on the
// grid of CLOCK_MONOTONIC, kept there by stretching.
import KineCodecs

/// Belongs to the audio thread.
final class AudioLane {
    let source: AudioSource
    /// The lane's samples, at their places on the grid.
    private(set) var store: SampleStore
    /// A first clock reading came, so samples have places.
    private(set) var isPlaced = false
    /// The device or the application is gone: no further samples come.
    var isClosed = false
    /// Frames of digital silence since the last sample that was not silent.
    private(set) var silentFrames = 0

    private let grid: SampleGrid
    let deviceRate: Int
    private let channels: Int
    let resampler: AudioResampler
    private var drift = DriftController()
    private var stretch = 0.0
    /// The grid place of the next frame that the device delivers.
    private var position = 0.0
    private var lastReading: Int64 = 0
    private var framesToDrop = 0
    /// Only silence is in the resampler, so further silence need not go through it.
    private var isResting = true

    /// Device frames of silence that push all other audio out of the resampler's filter.
    private static let restingLength = 512
    /// Seconds of gap that are filled sample by sample; after a longer one the store begins anew.
    private static let longestFill: Int64 = 3

    init(
        deviceRate: Int, grid: SampleGrid, channels: Int, source: AudioSource = .app
    ) throws(AudioResampler.Error) {
        self.source = source
        self.grid = grid
        self.deviceRate = deviceRate
        self.channels = channels
        resampler = try AudioResampler(inputRate: deviceRate, outputRate: grid.rate, channels: channels)
        store = SampleStore(channels: channels, start: 0)
    }

    /// Grid samples for one device frame.
    private var step: Double { Double(grid.rate) / Double(deviceRate) * (1 + stretch) }

    /// The next frame to be appended was heard at `instant`, nanoseconds.
    func timed(instant: Int64) {
        let place = grid.position(of: instant)
        guard isPlaced else {
            isPlaced = true
            position = place
            lastReading = instant
            // One filter length late, so that there is room for the resampler's delay in front of the first sample.
            store.restart(at: Int64(place.rounded(.up)) - Int64(resampler.delay.rounded(.up)))
            return
        }
        let target = place + Double(framesToDrop) * step
        let elapsed = Double(instant - lastReading) / 1e9
        lastReading = instant
        switch drift.update(error: (target - position) / Double(grid.rate), elapsed: elapsed) {
        case .stretch(let value):
            stretch = value
            resampler.setStretch(value)
        case .jump where target > position:
            skip(to: target)
        case .jump:
            framesToDrop += Int(((position - target) / step).rounded())
        }
    }

    /// The device lost this many frames.
    func appendMissing(frames: Int) { skip(to: position + Double(frames) * step) }

    /// Appends interleaved samples of the device.
    func append(_ samples: Span<Float>) {
        guard isPlaced else { return }
        var frames = samples.count / channels
        let dropped = min(framesToDrop, frames)
        framesToDrop -= dropped
        frames -= dropped
        guard frames > 0 else { return }
        let rest = samples.extracting(last: frames * channels)
        let isSilent = AudioTrackEncoder.isSilent(rest)
        silentFrames = isSilent ? silentFrames + frames : 0
        if isSilent && isResting {
            position += Double(frames) * step
            store.appendSilence(upTo: restingEnd)
            return
        }
        if isResting {
            isResting = false
            // The resampler holds silence of the length of its delay, which comes out first.
            store.appendSilence(upTo: restingEnd)
        }
        resampler.convert(interleaved: rest) { store.append($0) }
        position = Double(store.end) + resampler.delay
        isResting = isSilent && frames >= Self.restingLength
    }

    /// The end of the store while the lane rests: the place of the resampler's next output.
    private var restingEnd: Int64 { Int64((position - resampler.delay).rounded()) }

    private func skip(to place: Double) {
        guard isPlaced, place > position else { return }
        resampler.reset()
        isResting = true
        position = place
        if restingEnd - store.end > Self.longestFill * Int64(grid.rate) {
            store.restart(at: restingEnd)
        } else {
            store.appendSilence(upTo: restingEnd)
        }
    }

    func discard(before place: Int64) { store.discard(before: place) }
}

/// A proportional-integral controller of the distance between the place of a device's audio and the place that its clock
/// readings give.
///
/// A sound card's clock is a few hundred parts per million off, and its readings jitter by milliseconds: the loop is slow (twenty
/// seconds), but quick in its first seconds, when nothing is known. With a damping of one it does not overshoot.
struct DriftController: Sendable {
    enum Correction: Equatable, Sendable {
        /// Make the audio longer by this part of one from now on.
        case stretch(Double)
        /// The audio is so far off that stretching would take minutes: move it at once.
        case jump
    }

    /// Seconds of error from which audio is moved at once.
    static let jumpThreshold = 0.05
    /// The largest stretch: 2 per mille is three hundredths of a semitone.
    static let largestStretch = 0.002
    /// Radians a second of the settled loop. A step of 300 ppm then makes an error of at most 300e-6 / (0.05 e) = 2.2
    /// ms.
    private static let settledFrequency = 0.05
    private static let firstFrequency = 0.4

    /// The device's own error as learned so far, as a part of one: positive if it runs slow.
    private(set) var learned = 0.0
    private var age = 0.0

    /// `error`: seconds by which the audio lies too early (positive) or too late. `elapsed`: seconds since the last
    /// call.
    mutating func update(error: Double, elapsed: Double) -> Correction {
        guard abs(error) <= Self.jumpThreshold else { return .jump }
        // After a long silence of the server one reading must not weigh as much as all the missing ones together.
        let elapsed = min(max(elapsed, 0), 5)
        age += elapsed
        var frequency = max(Self.settledFrequency, min(Self.firstFrequency, 2 / max(age, 0.001)))
        // Readings that come seldom cannot steer a quick loop.
        frequency = min(frequency, 0.2 / max(elapsed, 0.1))
        let proportional = 2 * frequency * error
        let integral = learned + frequency * frequency * error * elapsed
        let stretch = proportional + integral
        if abs(stretch) <= Self.largestStretch {
            learned = integral
            return .stretch(stretch)
        }
        // While the stretch is at its limit the error says nothing about the device's clock, so nothing is learned.
        return .stretch(stretch > 0 ? Self.largestStretch : -Self.largestStretch)
    }
}
