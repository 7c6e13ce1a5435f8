// The calls with which a recorder tells an object of the app what its events tell.

/// Told by a recorder, on any thread and one call at a time. Each method does nothing unless it is implemented.
public protocol ScreenRecorderDelegate: AnyObject, Sendable {
    /// The recording ended without a call of the app: because of `error`, which is `userStopped` where the person did it at the
    /// desktop, or as another program stopped it (nil). `preview` is what there is of it.
    func screenRecorder(
        _ screenRecorder: ScreenRecorder, didStopRecordingWith preview: RecordingPreview?, error: RecordingError?)

    /// Clip buffering ended without a call of the app: because of `error`, or as somebody else stopped it (nil).
    func screenRecorder(_ screenRecorder: ScreenRecorder, didStopClipBufferingWith error: RecordingError?)

    /// `isAvailable` has changed.
    func screenRecorderDidChangeAvailability(_ screenRecorder: ScreenRecorder)

    /// The screen that is recorded was locked or unlocked. While it is locked, the recording pauses or shows a plain card.
    func screenRecorder(_ screenRecorder: ScreenRecorder, didChangeScreenLock isLocked: Bool)
}

extension ScreenRecorderDelegate {
    public func screenRecorder(
        _ screenRecorder: ScreenRecorder, didStopRecordingWith preview: RecordingPreview?, error: RecordingError?
    ) {}

    public func screenRecorder(_ screenRecorder: ScreenRecorder, didStopClipBufferingWith error: RecordingError?) {}

    public func screenRecorderDidChangeAvailability(_ screenRecorder: ScreenRecorder) {}

    public func screenRecorder(_ screenRecorder: ScreenRecorder, didChangeScreenLock isLocked: Bool) {}
}
