// Sample times, sizes, damage and pixels are KineMedia's: an extension imports this module only and has them too.
@_exported import KineMedia
import KineRings
import KineWire

/// The statistics of a handler's connection, for `BroadcastSampleHandler.connectionStatistics`.
public typealias ConnectionStatistics = KineWire.ConnectionStatistics

/// The level of a line in the log.
public typealias LogLevel = ExtensionLogLine.Level

/// A frame or a piece of audio, lent to the handler.
public typealias SampleBuffer = KineRings.SampleBuffer
/// The format of a sample's bytes.
public typealias SampleFormat = KineRings.SampleFormat
/// Which stream a sample belongs to.
public typealias SampleBufferType = KineRings.SampleBufferType
