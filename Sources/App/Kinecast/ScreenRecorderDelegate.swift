// The calls with which a recorder tells an object of the app what its events tell.

/// Receives a recorder's events, one call at a time. Each method does nothing unless it is implemented.
///
/// A method may be implemented with or without `async`. A class on the main actor, or an actor, is called there; any other object on any
/// thread.
public protocol ScreenRecorderDelegate: AnyObject, Sendable {
    /// The recording ended without a call of the app: because of `error`, which is `userStopped` where the person did it at the
    /// desktop, or as another program stopped it (nil). `preview` is what there is of it.
    func screenRecorder(
        _ screenRecorder: ScreenRecorder, didStopRecordingWith preview: RecordingPreview?, error: RecordingError?) async

    /// The same call in ReplayKit's form; `error` is a `RecordingError`. Both forms are called.
    func screenRecorder(
        _ screenRecorder: ScreenRecorder, didStopRecordingWith preview: RecordingPreview?, error: (any Error)?) async

    /// Clip buffering ended without a call of the app: because of `error`, or as somebody else stopped it (nil).
    func screenRecorder(_ screenRecorder: ScreenRecorder, didStopClipBufferingWith error: RecordingError?) async

    /// `isAvailable` has changed.
    func screenRecorderDidChangeAvailability(_ screenRecorder: ScreenRecorder) async

    /// The screen that is recorded was locked or unlocked. While it is locked, the recording pauses or shows a plain card.
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
