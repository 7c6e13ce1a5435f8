// The names of other modules that an app uses without importing them.
import KineRings
import KineWire
// Times, sizes, damage and pixels are KineMedia's: an app imports this module only and has them too.
@_exported import KineMedia

/// A frame or a piece of audio, lent to the app as it is to an extension.
public typealias SampleBuffer = KineRings.SampleBuffer
/// What a sample's bytes are.
public typealias SampleFormat = KineRings.SampleFormat
/// Which stream a sample belongs to.
public typealias SampleBufferType = KineRings.SampleBufferType
/// The samples that an app wants, as a service's manifest says it.
public typealias SampleRequest = KineWire.SampleRequest
/// Windows that must not be seen.
public typealias WindowRule = TakeConfiguration.WindowRule
/// A camera over the picture.
public typealias Camera = TakeConfiguration.Camera
/// Keys that are shown in the frames as they are pressed.
public typealias ShownKeys = TakeConfiguration.ShownKeys
/// Who an app is.
public typealias AppIdentity = KineWire.AppIdentity
