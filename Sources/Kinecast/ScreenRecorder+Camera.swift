// The camera, which this version cannot record yet.

/// The camera that looks at the person, or away from them.
public enum CameraPosition: Sendable, CaseIterable {
    case front
    case back
}

extension ScreenRecorder {
    /// Whether the camera is recorded too: never, in this version.
    public var isCameraEnabled: Bool { false }

    /// Has the camera recorded too, or no more. Throws `unavailable` in this version where it is to be turned on.
    public func enableCamera(_ isEnabled: Bool = true, position: CameraPosition = .front) throws(RecordingError) {
        if isEnabled {
            throw RecordingError(
                .unavailable, "This version of Kinecast does not record a camera; record without it.")
        }
    }
}
