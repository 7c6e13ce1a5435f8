// Sample times, sizes, damage and pixels are KineMedia's: an extension imports this module only and has them too.
@_exported import KineMedia
import KineRelay

/// What a handler may report of its connection: `BroadcastSampleHandler.connectionStatistics`.
public typealias ConnectionStatistics = KineRelay.ConnectionStatistics
