// The delegate of a recorder.

/// Receives a recorder's events, one call at a time. Each method does nothing unless it is implemented.
///
/// A method may be implemented with or without `async`. A class on the main actor, or an actor, is called there; any other object on any
/// thread.
public protocol ScreenRecorderDelegate: AnyObject, Sendable {
    /// The recording ended without a call of the app. `error` is `userStopped` after a stop at the desktop, and nil if
    /// another program stopped it. `preview` is the recording, if any.
    func screenRecorder(
        _ screenRecorder: ScreenRecorder, didStopRecordingWith preview: RecordingPreview?, error: RecordingError?) async

    /// The same call in ReplayKit's form; `error` is a `RecordingError`. Both methods are called.
    func screenRecorder(
        _ screenRecorder: ScreenRecorder, didStopRecordingWith preview: RecordingPreview?, error: (any Error)?) async

    /// Clip buffering ended without a call of the app. `error` is nil if another program stopped it.
    func screenRecorder(_ screenRecorder: ScreenRecorder, didStopClipBufferingWith error: RecordingError?) async

    /// `isAvailable` has changed.
    func screenRecorderDidChangeAvailability(_ screenRecorder: ScreenRecorder) async

    /// The recorded screen was locked or unlocked. While it is locked, the recording pauses or shows a plain card.
    func screenRecorder(_ screenRecorder: ScreenRecorder, didChangeScreenLock isLocked: Bool) async
}

extension ScreenRecorderDelegate {
    public func screenRecorder(
        _ screenRecorder: ScreenRecorder, didStopRecordingWith preview: RecordingPreview?, error: RecordingError?
    ) async {}

    public func screenRecorder(
        _ screenRecorder: ScreenRecorder, didStopRecordingWith preview: RecordingPreview?, error: (any Error)?
    ) async {}

    public func screenRecorder(
        _ screenRecorder: ScreenRecorder, didStopClipBufferingWith error: RecordingError?
    ) async {}

    public func screenRecorderDidChangeAvailability(_ screenRecorder: ScreenRecorder) async {}

    public func screenRecorder(_ screenRecorder: ScreenRecorder, didChangeScreenLock isLocked: Bool) async {}
}
