// The process that makes pictures and measures levels, from a page's first request until no page asks any more.
import Glibc
import KineClient
import KinePlatform
import KineWire

/// Used on one thread.
struct SurveyUse: PollSource {
    private var process: SurveyProcess?
    private var choice = SurveyChoice()
    /// When the process ends; each request from a page extends it.
    private var end: Int64 = 0

    var isRunning: Bool { process != nil }

    var pollEntries: [pollfd] { process?.pollEntries ?? [] }

    var nextDeadline: Int64? { process == nil ? nil : end }

    /// Starts the process if it does not run.
    ///
    /// - Parameters:
    ///   - isCameraFree: a camera can be open once, so the survey leaves it to a take.
    ///   - now: nanoseconds of CLOCK_MONOTONIC.
    mutating func ask(_ choice: SurveyChoice, isCameraFree: Bool, at now: Int64) throws(ClientError) {
        var choice = choice
        if !isCameraFree { choice.camera = nil }
        end = now + StudioLoop.lookLifetime
        let isNew = process == nil
        let process = if let process { process } else { try SurveyProcess() }
        // Its devices are opened again with each request.
        if isNew || choice != self.choice {
            process.survey(
                audio: choice.audio, microphone: choice.microphone, camera: choice.camera, shown: choice.shown)
        }
        (self.process, self.choice) = (process, choice)
    }

    mutating func releaseCamera() {
        choice.camera = nil
        process?.survey(audio: choice.audio, microphone: choice.microphone, shown: choice.shown)
    }

    /// What the process has sent; nil: it has just ended.
    mutating func events(at now: Int64) -> [SurveyEvent]? {
        guard let process else { return [] }
        if now < end, let events = process.events() { return events }
        self.process = nil
        return nil
    }
}
