// What an extension that takes encoded pictures asks of their encoder: less, where its network does not take as much.

/// Limits for the encoder. A property that is nil asks for nothing: it stays as the user chose it.
///
/// An engine never encodes more than the user chose, and where several extensions ask, the lowest of each counts.
public struct EncodingRequest: Codable, Sendable, Equatable {
    /// Bits a second, on average over about a second.
    public var averageBitRate: Int?
    /// Pictures a second at most.
    public var maximumFrameRate: Double?

    /// Nothing is asked for.
    public static let none = EncodingRequest()

    /// What can be asked for; outside it a message is damaged.
    public static let bitRates = 1...1_000_000_000
    public static let frameRates = 0.01...1000.0

    public init(averageBitRate: Int? = nil, maximumFrameRate: Double? = nil) {
        self.averageBitRate = averageBitRate
        self.maximumFrameRate = maximumFrameRate
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        averageBitRate = try container.decodeIfPresent(Int.self, forKey: .averageBitRate)
        maximumFrameRate = try container.decodeIfPresent(Double.self, forKey: .maximumFrameRate)
        guard averageBitRate.map(Self.bitRates.contains) ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .averageBitRate, in: container, debugDescription: "not a bit rate")
        }
        guard maximumFrameRate.map(Self.frameRates.contains) ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .maximumFrameRate, in: container, debugDescription: "not a frame rate")
        }
    }

    /// The nearest that can be sent; what is not a number is not asked for.
    public var bounded: EncodingRequest {
        EncodingRequest(
            averageBitRate: averageBitRate.map { min(max($0, Self.bitRates.lowerBound), Self.bitRates.upperBound) },
            maximumFrameRate: maximumFrameRate.flatMap {
                $0.isNaN ? nil : min(max($0, Self.frameRates.lowerBound), Self.frameRates.upperBound)
            })
    }
}
