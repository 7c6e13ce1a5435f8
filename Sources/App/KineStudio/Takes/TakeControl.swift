// The requests that control a running take.
import KineClient
import KineMedia
import KinePlatform

extension TakeControl {
    /// The body of a request. Each control reads its own value.
    private struct Parameters: Decodable {
        /// Seconds of a clip; absent: all that is kept.
        var duration: Double?
        /// The title of a chapter; absent: `Chapter` and its number.
        var title: String?
        /// Whether the microphone, or the audio that is played, is to be recorded.
        var isOn: Bool?
        /// The camera to show; absent: none.
        var camera: TakeConfiguration.Camera?
        /// The number of the app's question, and the answer; absent: the person closed it.
        var question: Int?
        var isAllowed: Bool?
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

    /// - Parameters:
    ///   - take: its id, or the beginning of it.
    ///   - note: gets what no event of the take reports.
    func answer(_ take: String, _ body: [UInt8], note: (TakeNotice) -> Void) async -> StudioAnswer {
        guard let parameters = StudioJSON.decode(Parameters.self, body) else { return .malformed }
        do throws(ClientError) {
            return try await perform(parameters, on: EngineSession.attach(to: take), note)
        } catch {
            return StudioAnswer(error)
        }
    }

    private static func isDevice(_ name: String) -> Bool {
        !name.isEmpty && name.unicodeScalars.count <= RecordingChoice.longestName && !name.contains("\0")
    }

    private func perform(
        _ parameters: Parameters, on session: EngineSession, _ note: (TakeNotice) -> Void
    ) async throws(ClientError) -> StudioAnswer {
        switch self {
        case .pause: try await session.pause()
        case .resume: try await session.resume()
        case .mark:
            let title = try await session.mark(parameters.title).title
            note(TakeNotice(kind: .chapter, text: title))
            return StudioAnswer(["title": title])
        case .microphone:
            guard let isOn = parameters.isOn else { return .malformed }
            try await session.setMicrophone(isOn: isOn)
        case .audio:
            guard let isOn = parameters.isOn else { return .malformed }
            try await session.setAppAudio(isOn: isOn)
        case .camera:
            let camera = parameters.camera
            guard camera.map({ Self.isDevice($0.device) }) != false, camera?.layout.isValid != false else {
                return .malformed
            }
            try await session.setCamera(camera)
        case .permission:
            guard let question = parameters.question else { return .malformed }
            try await session.answerPermission(question, isAllowed: parameters.isAllowed)
        case .clip:
            if let seconds = parameters.duration, !(0.001...Self.longestClip).contains(seconds) { return .malformed }
            guard let path = UserDirectories.newRecording() else { return .noVideos }
            let clip = try await session.exportClip(
                to: path.escaped, duration: parameters.duration.map { .seconds($0) }, isPrivate: true, isNumbered: true)
            var notice = TakeNotice(kind: .clip)
            (notice.file, notice.duration, notice.bytes) = (clip.output, clip.duration.seconds, clip.bytes)
            note(notice)
            return StudioAnswer(Written(file: clip.output, duration: clip.duration.seconds, bytes: clip.bytes))
        case .stop:
            switch try await session.stop() {
            case .finished(let summary):
                let file = summary.output == TakeConfiguration.standardOutput ? nil : summary.output
                return StudioAnswer(
                    Written(
                        file: file, duration: summary.progress.duration.seconds, bytes: Int64(summary.progress.bytes)))
            case .failed(let failure): return StudioAnswer(.conflict, message: failure.message)
            case .engineDied(let death): return StudioAnswer(.conflict, message: TakeSentences.death(death))
            }
        }
        return .done
    }
}
