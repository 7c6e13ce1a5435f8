// Types of other modules that an app can use without importing them.
@_exported import KineMedia
import KineRings

/// A frame or a piece of audio, lent to the app or an extension.
public typealias SampleBuffer = KineRings.SampleBuffer
/// The format of a sample's bytes.
public typealias SampleFormat = KineRings.SampleFormat
/// The stream that a sample belongs to.
public typealias SampleBufferType = KineRings.SampleBufferType
/// The samples that an app requests.
public typealias SampleRequest = KineMedia.SampleRequest
/// A rule for windows that must not be shown.
public typealias WindowRule = TakeConfiguration.WindowRule
/// How frames hide windows: by a plain rectangle, or by showing the windows below.
public typealias ExcludeHow = TakeConfiguration.ExcludeHow
/// A camera over the picture.
public typealias Camera = TakeConfiguration.Camera
/// The keys to show in the frames as they are pressed.
public typealias ShownKeys = TakeConfiguration.ShownKeys
/// The identity of an app.
public typealias AppIdentity = KineMedia.AppIdentity
