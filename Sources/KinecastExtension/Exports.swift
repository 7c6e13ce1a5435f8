// Sample times, sizes, damage and pixels are KineMedia's: an extension imports this module only and has them too.
@_exported import KineMedia
import KineRelay

/// The statistics of a handler's connection, for `BroadcastSampleHandler.connectionStatistics`.
public typealias ConnectionStatistics = KineRelay.ConnectionStatistics
