// The names of other modules that an app has without importing them: times, sizes, damage and pixels, and what a take is asked to do.
@_exported import KineMedia
import KineRings

/// A frame or a piece of audio, lent to the app as it is to an extension.
public typealias SampleBuffer = KineRings.SampleBuffer
/// The format of a sample's bytes.
public typealias SampleFormat = KineRings.SampleFormat
/// Which stream a sample belongs to.
public typealias SampleBufferType = KineRings.SampleBufferType
/// The samples that an app wants.
public typealias SampleRequest = KineMedia.SampleRequest
/// Windows that must not be seen.
public typealias WindowRule = TakeConfiguration.WindowRule
/// A camera over the picture.
public typealias Camera = TakeConfiguration.Camera
/// Keys that are shown in the frames as they are pressed.
public typealias ShownKeys = TakeConfiguration.ShownKeys
/// The identity of an app.
public typealias AppIdentity = KineMedia.AppIdentity
