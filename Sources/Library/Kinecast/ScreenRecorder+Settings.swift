// The settings of a recorder's next take.

extension ScreenRecorder {
    /// The settings of the next recording or capture. Each of them is also a property of this object.
    public var captureSettings: CaptureSettings {
        get { contents.withLock { $0.settings.capture } }
        set { contents.withLock { $0.settings.capture = newValue } }
    }

    public subscript<Value: Sendable>(dynamicMember setting: WritableKeyPath<CaptureSettings, Value>) -> Value {
        get { contents.withLock { $0.settings.capture[keyPath: setting] } }
        set { contents.withLock { $0.settings.capture[keyPath: setting] = newValue } }
    }
    /// Whether the microphone is recorded too, mixed with the app's audio. Can be changed during a recording; while it
    /// is off, its device is closed. An event warns if there is no microphone, or if the person does not allow it,
    /// which turns it off again.
    public var isMicrophoneEnabled: Bool {
        get { contents.withLock { $0.settings.isMicrophoneEnabled } }
        set {
            contents.withLock { $0.settings.isMicrophoneEnabled = newValue }
            tellMicrophone()
        }
    }

    /// Makes the microphones of the running takes follow `isMicrophoneEnabled`.
    func tellMicrophone() {
        for session in [recording?.session, clipTake.session].compactMap(\.self) {
            session.followMicrophone {
                self.isMicrophoneEnabled
            } refused: { error in
                self.contents.withLock { $0.settings.isMicrophoneEnabled = false }
                self.tell(.warning(error.description))
            }
        }
    }

    /// The chroma and range of the next recording's frames. 4:4:4 keeps coloured text sharp, and full range the finest
    /// steps of dark and light; browsers and many players cannot show 4:4:4. Such a recording accepts no destinations.
    /// Samples that are requested uncompressed are converted to the standard colours.
    public var recordingColour: ColourFormat {
        get { contents.withLock { $0.settings.colour } }
        set { contents.withLock { $0.settings.colour = newValue } }
    }

    /// The time that the next recording keeps for `exportClip`, 30 minutes at most; nil: none.
    public var recordingClipBuffer: Duration? {
        get { contents.withLock { $0.settings.clipBuffer } }
        set { contents.withLock { $0.settings.clipBuffer = newValue } }
    }
}
