// The audio and the camera that a person has chosen in the studio, before anything is recorded.
import KineWire

/// Keeps the choice, and has its devices open from `open` until `close`. Used by one thread.
struct SurveyedDevices {
    /// Nil: no thread could be started, so there are no levels.
    private let meter: LevelMeter?
    private var camera = CameraSurvey()
    private var audio = LevelMeter.Choice()
    private var chosenCamera: String?

    /// - Parameter report: gets the levels, on any thread.
    init(report: @escaping @Sendable (SurveyLevels) -> Void) { meter = try? LevelMeter(report: report) }

    /// Takes effect at the next `open`. A nil `camera` means none.
    mutating func choose(_ audio: LevelMeter.Choice, camera: String?) {
        self.audio = audio
        chosenCamera = camera
    }

    /// Opens what was chosen, and closes the rest.
    mutating func open() {
        meter?.measure(audio)
        camera.show(chosenCamera)
    }

    mutating func close() {
        meter?.measure(LevelMeter.Choice())
        camera.show(nil)
    }

    /// For poll: the camera's descriptor, see `CameraSurvey`.
    func descriptor(at now: Int64) -> Int32 { camera.descriptor(at: now) }

    /// The instant at which `process` must be called even without events.
    func deadline(at now: Int64) -> Int64? { camera.deadline(at: now) }

    /// Advances the camera as far as possible. Returns a picture, or once the reason why there is none.
    mutating func process(at now: Int64) -> SurveyCamera? { camera.process(at: now) }
}
