// Sample times, sizes, damage and pixels are KineMedia's: who writes an extension imports one module and has them.
@_exported import KineMedia
import KineRelay

/// What a handler may say of its connection: `BroadcastSampleHandler.connectionStatistics`.
public typealias ConnectionStatistics = KineRelay.ConnectionStatistics
