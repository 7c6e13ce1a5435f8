// The names of other modules that an app uses without importing them.
import KineControl
// Times, sizes, damage and pixels are KineMedia's: an app imports this module only and has them too.
@_exported import KineMedia
import KineRelay

/// A frame or a piece of audio, lent to the app as it is to an extension.
public typealias SampleBuffer = KineRelay.SampleBuffer
/// What a sample's bytes are.
public typealias SampleFormat = KineRelay.SampleFormat
/// Which stream a sample belongs to.
public typealias SampleBufferType = KineRelay.SampleBufferType
/// The samples that an app wants, as a service's manifest says it.
public typealias SampleRequest = KineControl.SampleRequest
/// Windows that must not be seen.
public typealias WindowRule = TakeConfiguration.WindowRule
/// A camera over the picture.
public typealias Camera = TakeConfiguration.Camera
/// Keys that are shown in the frames as they are pressed.
public typealias ShownKeys = TakeConfiguration.ShownKeys
/// Who an app is.
public typealias AppIdentity = KineRelay.AppIdentity
