// An extension's request to the encoder: lower limits than the user's choice, because its network is too slow.

/// Limits for the encoder; nil: the user's choice. An engine never exceeds the user's choice. With several extensions,
/// the lowest limit of each kind counts.
public struct EncodingRequest: Codable, Sendable, Equatable {
    /// Bits a second, averaged over about a second.
    public var averageBitrate: Int?
    /// The most frames a second.
    public var maximumFrameRate: Double?

    /// No limits.
    public static let none = EncodingRequest()

    /// The allowed limits; a message with others is skipped.
    public static let bitrates = 1...1_000_000_000
    private static let frameRates = 0.01...1000.0

    public init(averageBitrate: Int? = nil, maximumFrameRate: Double? = nil) {
        self.averageBitrate = averageBitrate
        self.maximumFrameRate = maximumFrameRate
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        averageBitrate = try container.decodeIfPresent(Int.self, forKey: .averageBitrate)
        maximumFrameRate = try container.decodeIfPresent(Double.self, forKey: .maximumFrameRate)
        guard self == bounded else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: container.codingPath, debugDescription: "no encoder can do that"))
        }
    }

    /// The nearest allowed request; a NaN counts as nil.
    public var bounded: EncodingRequest {
        EncodingRequest(
            averageBitrate: averageBitrate.map { min(max($0, Self.bitrates.lowerBound), Self.bitrates.upperBound) },
            maximumFrameRate: maximumFrameRate.flatMap {
                $0.isNaN ? nil : min(max($0, Self.frameRates.lowerBound), Self.frameRates.upperBound)
            })
    }
}
