// What the next take of a recorder shows.
import KineClient

extension ScreenRecorder {
    /// The settings of the next recording or capture. This object has each of them as a property too.
    public var captureSettings: CaptureSettings {
        get { contents.withLock { $0.settings.capture } }
        set { contents.withLock { $0.settings.capture = newValue } }
    }

    public subscript<Value: Sendable>(dynamicMember setting: WritableKeyPath<CaptureSettings, Value>) -> Value {
        get { contents.withLock { $0.settings.capture[keyPath: setting] } }
        set { contents.withLock { $0.settings.capture[keyPath: setting] = newValue } }
    }
    /// Whether the microphone is recorded too, mixed with the app's audio. It can be turned on and off while a recording runs; while
    /// it is off, its device is closed. An event warns where there is no microphone, or where the person does not allow it, which turns
    /// it off again.
    public var isMicrophoneEnabled: Bool {
        get { contents.withLock { $0.settings.isMicrophoneEnabled } }
        set {
            contents.withLock { $0.settings.isMicrophoneEnabled = newValue }
            tellMicrophone()
        }
    }

    /// Turns the microphone of the takes that run on or off, as `isMicrophoneEnabled` says.
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

    /// The chroma and the range of the next recording's frames. 4:4:4 keeps coloured text sharp, and full range the finest steps of
    /// dark and light; browsers and many other players cannot show 4:4:4. While such a recording runs, it takes no destinations. Samples
    /// that are asked for uncompressed are converted to the standard colours.
    public var recordingColour: ColourFormat {
        get { contents.withLock { $0.settings.colour } }
        set { contents.withLock { $0.settings.colour = newValue } }
    }

    /// The time that the next recording also keeps for `exportClip`, 30 minutes at most; nil: it keeps none.
    public var recordingClipBuffer: Duration? {
        get { contents.withLock { $0.settings.clipBuffer } }
        set { contents.withLock { $0.settings.clipBuffer = newValue } }
    }
}
