// How loud audio is, for meters: of a take as it is recorded, and of what is chosen before one.

/// The highest peaks of audio since the levels before, from 0 to 1 (full scale).
public struct AudioLevels: Codable, Sendable, Equatable {
    /// The audio that is played, of several streams the loudest one's; nil: there is none, or the program may not have its level.
    public var app: Double?
    public var microphone: Double?

    public init(app: Double? = nil, microphone: Double? = nil) { (self.app, self.microphone) = (app, microphone) }

    /// The level of samples with that peak. Its steps are finer than a meter's, and coarse enough for faint noise to be 0.
    public static func level(ofPeak peak: Float) -> Double { (Double(min(peak, 1)) * 10_000).rounded() / 10_000 }
}
