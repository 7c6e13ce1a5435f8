// An extension's connection to its server in numbers, for a person. Each property may be missing.

/// An extension's connection at one moment.
public struct ConnectionStatistics: Codable, Sendable, Equatable {
    /// Seconds since the present connection was established.
    public var uptime: Double?
    /// Connections after the first.
    public var reconnects: Int?
    /// Bits a second that currently arrive at the other end.
    public var bitrate: Int?
    /// Milliseconds of samples that wait to be sent.
    public var queueMilliseconds: Int?
    /// Milliseconds to the other end and back.
    public var roundTripMilliseconds: Double?
    /// Frames dropped because the network was too slow or away.
    public var framesDropped: Int?

    public init() {}

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        uptime = try container.decodeIfPresent(Double.self, forKey: .uptime)
        reconnects = try container.decodeIfPresent(Int.self, forKey: .reconnects)
        bitrate = try container.decodeIfPresent(Int.self, forKey: .bitrate)
        queueMilliseconds = try container.decodeIfPresent(Int.self, forKey: .queueMilliseconds)
        roundTripMilliseconds = try container.decodeIfPresent(Double.self, forKey: .roundTripMilliseconds)
        framesDropped = try container.decodeIfPresent(Int.self, forKey: .framesDropped)
        guard self == bounded else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: container.codingPath, debugDescription: "not a connection's statistics"))
        }
    }

    /// The nearest statistics that can be sent: not negative, and small enough that sums do not overflow.
    public var bounded: ConnectionStatistics {
        var bounded = self
        bounded.uptime = uptime.flatMap(Self.bound).map { min($0, 1e9) }  // thirty years
        bounded.reconnects = reconnects.map(Self.bound)
        bounded.bitrate = bitrate.map(Self.bound)
        bounded.queueMilliseconds = queueMilliseconds.map(Self.bound)
        bounded.roundTripMilliseconds = roundTripMilliseconds.flatMap(Self.bound)
        bounded.framesDropped = framesDropped.map(Self.bound)
        return bounded
    }

    private static let most = 1_000_000_000_000

    private static func bound(_ value: Int) -> Int { min(max(value, 0), most) }

    private static func bound(_ value: Double) -> Double? {
        value.isNaN ? nil : min(max(value, 0), Double(most))
    }
}
