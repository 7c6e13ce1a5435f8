// An extension that imports only this module also gets KineMedia's sample times, sizes, damage and pixels.
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
/// The stream that a sample belongs to.
public typealias SampleBufferType = KineRings.SampleBufferType
