// Stretches a device's audio so that it stays with the video. Pure: errors in, stretch out.

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
    /// The most that is ever stretched: 2 per mille is three hundredths of a semitone.
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
