// The calls with which a recorder tells an object of the app what its events tell.

/// Told by a recorder, on any thread and one call at a time. Each method does nothing unless it is implemented.
public protocol ScreenRecorderDelegate: AnyObject, Sendable {
    /// The recording ended without a call of the app: because of `error`, or as somebody else stopped it (nil). `preview` is what there
    /// is of it.
    func screenRecorder(
        _ screenRecorder: ScreenRecorder, didStopRecordingWith preview: RecordingPreview?, error: RecordingError?)

    /// Clip buffering ended without a call of the app: because of `error`, or as somebody else stopped it (nil).
    func screenRecorder(_ screenRecorder: ScreenRecorder, didStopClipBufferingWith error: RecordingError?)

    /// `isAvailable` has changed.
    func screenRecorderDidChangeAvailability(_ screenRecorder: ScreenRecorder)
}

extension ScreenRecorderDelegate {
    public func screenRecorder(
        _ screenRecorder: ScreenRecorder, didStopRecordingWith preview: RecordingPreview?, error: RecordingError?
    ) {}

    public func screenRecorder(_ screenRecorder: ScreenRecorder, didStopClipBufferingWith error: RecordingError?) {}

    public func screenRecorderDidChangeAvailability(_ screenRecorder: ScreenRecorder) {}
}
