// Answers the requests about running takes. Their engines carry them out, or `kinecast`, which knows the names of sources
// and the settings of destinations.
import KineClient
import KineMedia
import KinePlatform
import KineText

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
    private struct Added: Decodable { var destination: DestinationName }
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
        .get("api/takes") { studio, _ in .json(studio.takes.withLock { $0 }) },
        .post("api/statistics") { studio, _ in studio.ask(.measure) },
        .get("api/takes/{take}/samples") { studio, call in
            try studio.checkIsOpen(call["take"])
            return .samples(try await studio.previews.stream(of: call["take"]))
        },
        .post("api/takes/{take}/source") { studio, call in
            try studio.checkIsOpen(call["take"])
            guard let source = try call.value(RecordingChoice.self).sourceArgument else {
                throw StudioProblem.malformed
            }
            return studio.ask(.run(["switch", call["take"], source]), .accepted)
        },
        .post("api/takes/{take}/destinations") { studio, call in
            try studio.checkIsOpen(call["take"])
            let added = try call.value(Added.self).destination
            return studio.ask(.run(["destination", "add", call["take"], added.argument]), .accepted)
        },
        .post("api/takes/{take}/destinations/{number}/remove") { _, call in
            guard let number = Int(call["number"]), number >= 0 else { throw StudioGate.Refusal.notFound }
            _ = try await EngineSession.attach(to: call["take"]).removeDestination(number)
            return .done
        },
        control("pause") { session, _ in try await session.pause() },
        control("resume") { session, _ in try await session.resume() },
        control("microphone") { session, call in
            try await session.setMicrophone(isOn: call.value(Switch.self).isOn)
        },
        control("audio") { session, call in try await session.setAppAudio(isOn: call.value(Switch.self).isOn) },
        control("output") { session, call in try await session.setAppAudioOutput(call.value(Output.self).name) },
        control("permission") { session, call in
            let answer: Permission = try call.value()
            try await session.answerPermission(answer.question, isAllowed: answer.isAllowed)
        },
        control("camera") { session, call in
            let camera = try call.value(Camera.self).camera
            guard camera.map({ RecordingChoice.isName($0.device) && $0.layout.isValid }) != false else {
                throw StudioProblem.malformed
            }
            try await session.setCamera(camera)
        },
        .post("api/takes/{take}/mark") { studio, call in
            let title = try await EngineSession.attach(to: call["take"]).mark(call.value(Mark.self).title).title
            // No event of the take reports it.
            studio.add(TakeNotice(kind: .chapter, text: title))
            return .json(["title": title])
        },
        .post("api/takes/{take}/clip") { studio, call in
            let session = try await EngineSession.attach(to: call["take"])
            let duration = try call.value(Clip.self).duration
            guard duration.map((0.001...longestClip).contains) != false else { throw StudioProblem.malformed }
            guard let path = UserDirectories.newRecording() else { throw StudioProblem.noVideos }
            let clip = try await session.exportClip(
                to: path.escaped, duration: duration.map { .seconds($0) }, isPrivate: true, isNumbered: true)
            var notice = TakeNotice(kind: .clip)
            (notice.file, notice.duration, notice.bytes) = (clip.output, clip.duration.seconds, clip.bytes)
            studio.add(notice)
            return .json(Written(file: clip.output, duration: clip.duration.seconds, bytes: clip.bytes))
        },
        .post("api/takes/{take}/stop") { _, call in
            switch try await EngineSession.attach(to: call["take"]).stop() {
            case .finished(let summary):
                let file = summary.output == TakeConfiguration.standardOutput ? nil : summary.output
                let progress = summary.progress
                return .json(Written(file: file, duration: progress.duration.seconds, bytes: Int64(progress.bytes)))
            case .failed(let failure): throw StudioProblem(.conflict, failure.message)
            case .engineDied(let death): throw StudioProblem(.conflict, TakeSentences.death(death))
            }
        },
    ]

    /// A change of a take that its engine carries out.
    private static func control(
        _ verb: String, _ change: @escaping @Sendable (EngineSession, StudioCall) async throws -> Void
    ) -> StudioRoute {
        .post("api/takes/{take}/\(verb)") { _, call in
            try await change(EngineSession.attach(to: call["take"]), call)
            return .done
        }
    }
}

extension Studio {
    /// Replaces the takes that pages show.
    func show(_ takes: [TakeModel]) {
        let isNew = self.takes.withLock { shown in
            defer { shown = takes }
            return shown != takes
        }
        guard isNew else { return }
        previews.show(takes)
        if library.setWritten(takes.compactMap(\.file)) { showRecordings() }
        hub.send("takes", takes, isState: true)
    }

    /// Shows the statistics of all takes that have some.
    func show(_ statistics: [TakeStatistics]) { hub.send("statistics", statistics, isState: true) }

    fileprivate func checkIsOpen(_ take: String) throws(StudioProblem) {
        guard takes.withLock({ $0.contains { $0.id == take && $0.isOpen } }) else {
            throw StudioProblem(.notFound, "This take does not run any more.")
        }
    }
}
