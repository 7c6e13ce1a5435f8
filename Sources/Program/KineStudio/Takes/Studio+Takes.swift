// Answers the requests about running takes, which their engines carry out.
import KineClient
import KineMedia
import KinePlatform
import KineTakes
import KineText
import KineWire

extension StudioRoute {
    private struct Mark: Decodable {
        /// Absent: `Chapter` and its number.
        var title: String?
    }
    /// Whether the microphone, or the audio that is played, is to be recorded.
    private struct Switch: Decodable { var isOn: Bool }
    private struct Output: Decodable { var name: String }
    private struct Camera: Decodable {
        /// Absent: no camera is shown.
        var camera: TakeConfiguration.Camera?
    }
    private struct Permission: Decodable {
        /// The number of the app's question.
        var question: Int
        /// Absent: the person closed it.
        var isAllowed: Bool?
    }
    private struct Clip: Decodable {
        /// Seconds; absent: all that is kept.
        var duration: Double?
    }
    /// A file that was written.
    private struct Written: Encodable {
        var file: String?
        /// Seconds.
        var duration: Double?
        var bytes: Int64?
    }

    /// The longest clip, in seconds; a take keeps no more.
    private static let longestClip: Double = 86400

    static let takes: [StudioRoute] = [
        .get("api/takes") { studio, _ in .json(studio.takes.withLock { $0.takes }) },
        .post("api/progress") { studio, _ in studio.ask(.measure) },
        .get("api/takes/{take}/samples") { studio, call in
            try studio.checkIsOpen(call["take"])
            return .samples(try await studio.previews.stream(of: call["take"]))
        },
        .post("api/takes/{take}/source") { studio, call in
            try studio.checkIsOpen(call["take"])
            let choice: RecordingChoice = try call.value()
            guard choice.isValid, choice.source != nil else { throw StudioProblem.malformed }
            guard let source = choice.takeSource else {
                throw StudioProblem(.conflict, "A running take cannot show that; choose another source.")
            }
            return studio.carryOut([.switchSource(source)], of: call["take"])
        },
        .post("api/takes/{take}/destinations") { studio, call in
            try studio.checkIsOpen(call["take"])
            let added = try studio.destinations(of: call.value())
            return studio.carryOut(added.map { .addDestination($0) }, of: call["take"])
        },
        control("destinations/{number}/remove") { call in
            guard let number = Int(call["number"]), number >= 0 else { throw StudioGate.Refusal.notFound }
            return .removeDestination(number)
        },
        control("pause") { _ in .pause },
        control("resume") { _ in .resume },
        control("microphone") { call in .setMicrophone(on: try call.value(Switch.self).isOn) },
        control("audio") { call in .setAppAudio(on: try call.value(Switch.self).isOn) },
        control("output") { call in .setAppAudioOutput(try call.value(Output.self).name) },
        control("permission") { call in
            let answer: Permission = try call.value()
            return .answerPermission(question: answer.question, isAllowed: answer.isAllowed)
        },
        control("camera") { call in
            let camera = try call.value(Camera.self).camera
            guard camera.map({ RecordingChoice.isName($0.device) && $0.layout.isValid }) != false else {
                throw StudioProblem.malformed
            }
            return .setCamera(camera)
        },
        .post("api/takes/{take}/mark") { studio, call in
            let title = try call.value(Mark.self).title
            let answer = try await studio.requests.send(.mark(title: title), to: call["take"])
            guard case .marked(let chapter) = answer.reply else { return .done }
            // No event of the take reports it.
            studio.add(TakeNotice(kind: .chapter, text: chapter.title))
            return .json(["title": chapter.title])
        },
        .post("api/takes/{take}/clip") { studio, call in
            let duration = try call.value(Clip.self).duration
            guard duration.map((0.001...longestClip).contains) != false else { throw StudioProblem.malformed }
            guard let path = UserDirectories.newRecording("Clip") else { throw StudioProblem.noVideos }
            let request = ClipRequest(
                output: path.escaped, duration: duration.map { .seconds($0) }, isPrivate: true, isNumbered: true)
            let answer = try await studio.requests.send(.exportClip(request), to: call["take"])
            guard case .clip(let clip) = answer.reply else { return .done }
            var notice = TakeNotice(kind: .clip)
            (notice.file, notice.duration, notice.bytes) = (clip.output, clip.duration.seconds, clip.bytes)
            studio.add(notice)
            return .json(Written(file: clip.output, duration: clip.duration.seconds, bytes: clip.bytes))
        },
        .post("api/takes/{take}/stop") { studio, call in
            let answer = try await studio.requests.send(.stop(immediately: false), to: call["take"])
            switch answer.take.ending {
            case .finished(let summary):
                let file = summary.output == TakeConfiguration.standardOutput ? nil : summary.output
                let progress = summary.progress
                return .json(Written(file: file, duration: progress.duration.seconds, bytes: Int64(progress.bytes)))
            case .failed(let failure): throw StudioProblem(.conflict, failure.message, failure.problem)
            case nil: return .done
            }
        },
    ]

    /// A change of a take that its engine carries out.
    private static func control(
        _ verb: String, _ request: @escaping @Sendable (StudioCall) throws -> ClientRequest
    ) -> StudioRoute {
        .post("api/takes/{take}/\(verb)") { studio, call in
            try await studio.requests.send(request(call), to: call["take"])
            return .done
        }
    }
}

extension Studio {
    /// Replaces the takes that pages show.
    func show(_ takes: [TakeSnapshot]) {
        guard self.takes.withLock({ $0.update(takes) }) else { return }
        previews.show(takes)
        if library.setWritten(takes.compactMap(\.file)) { showRecordings() }
        hub.send("takes", takes, isState: true)
    }

    /// Shows the questions of apps in the windows that may answer them.
    func show(_ questions: [TakeQuestion]) {
        if takes.withLock({ $0.update(questions) }) { hub.send("questions", questions, isState: true) }
    }

    /// Shows the takes with their counts.
    func show(progress takes: [TakeSnapshot]) { hub.send("progress", takes, isState: true) }

    /// Shows the levels of the takes' audio.
    func show(levels: [ShownLevels]) { hub.send("takeLevels", levels, isState: true) }

    /// Answers at once: a person may draw a region first, and a service may take long. A notice says what fails.
    fileprivate func carryOut(_ changes: [ClientRequest], of take: String) -> StudioResponse {
        Task {
            do {
                for change in changes { try await requests.send(change, to: take) }
            } catch {
                let problem = StudioProblem(error)
                add(TakeNotice(kind: .failed, take: take, text: problem.message, problem.code))
            }
        }
        return .accepted
    }

    fileprivate func checkIsOpen(_ take: String) throws(StudioProblem) {
        guard takes.withLock({ $0.isOpen(take) }) else { throw .takeIsOver }
    }
}
