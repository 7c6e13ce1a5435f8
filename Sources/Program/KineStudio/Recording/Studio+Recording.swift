// Answers the requests to begin a recording, and those about kept choices.
import KineClient
import KineConfiguration
import KinePlatform
import KineText

extension StudioRoute {
    static let recording: [StudioRoute] = [
        .get("api/sources") { _, _ in .json(try await EngineReport.sources()) },
        .get("api/destinations") { _, _ in .json(DestinationName.known) },
        .get("api/choice") { studio, _ in studio.choices.kept.map { .answer(StudioAnswer(body: $0)) } ?? .done },
        .post("api/takes") { studio, call in try studio.record(call) },
        .post("api/takes/cancel") { studio, _ in
            guard studio.takes.withLock({ $0.isStarting }) else {
                throw StudioProblem(.conflict, "No recording is being started.")
            }
            return studio.ask(.cancel)
        },
        .get("api/ways") { _, _ in .json(try await WaysBack.find()) },
        .post("api/windows/leave") { studio, call in
            struct Leaving: Decodable { var isLeaving: Bool }
            return studio.ask(.leaving(try call.value(Leaving.self).isLeaving))
        },
        .get("api/profiles") { _, _ in try profiles() },
        .post("api/profiles") { _, call in
            struct Named: Decodable {
                var name: String
                var choice: RecordingChoice
            }
            let named: Named = try call.value()
            guard named.choice.isValid else { throw StudioProblem.malformed }
            guard RecordingProfile.isTitle(named.name) else {
                throw StudioProblem(
                    .conflict,
                    "A name has one to \(RecordingProfile.longestTitle) characters that can be shown; write another one."
                )
            }
            try ConfigurationLayers.update { try $0.keeping(named.choice, titled: named.name) }
            return try profiles()
        },
        .post("api/profiles/{profile}/remove") { _, call in
            guard RecordingChoice.isProfile(call["profile"]) else { throw StudioGate.Refusal.notFound }
            try ConfigurationLayers.update { try $0.removing(call["profile"]) }
            return try profiles()
        },
    ]

    private static func profiles() throws -> StudioResponse { .json(try RecordingProfiles(.current())) }
}

/// Seconds for a window to close itself.
private let longestDeparture = 5

extension Studio {
    /// The content of the event `starting`.
    private struct Starting: Encodable {
        var isStarting: Bool
        /// Seconds before the take; absent: as configured.
        var countdown: Int?
        /// Whether windows leave the screen before it.
        var leaves: Bool?
    }

    /// Gives the loop a message, and answers at once. Events report on it; pictures and progress for as long as
    /// `StudioLoop.lookLifetime`.
    func ask(_ message: StudioLoop.Message, _ response: StudioResponse = .done) -> StudioResponse {
        inbox.post(message)
        return response
    }

    /// The program that records says by an event whether it began.
    fileprivate func record(_ call: StudioCall) throws -> StudioResponse {
        let choice: RecordingChoice = try call.value()
        guard choice.isValid else { throw StudioProblem.malformed }
        // A key of the desktop ends the take that was begun here, and so would this request.
        if takes.withLock({ $0.isAnyOpen }) { throw StudioProblem.takeRuns }
        // The directory: as for a recording alone, the command chooses the name, and so only the person may read the file.
        let directory = choice.isRecordedBeside ? UserDirectories.newRecording()?.removingLastComponent() : nil
        if choice.isRecordedBeside, directory == nil { throw StudioProblem.noVideos }
        // Pages count down to the second in which they leave: what they covered is painted meanwhile.
        var begun = choice
        if choice.leaves { begun.countdown = 1 }
        if let bar = begun.window.take() {
            begun.exclude = (begun.exclude ?? []) + ["above:\(bar)"]
            begun.excludeHow = begun.excludeHow ?? .beneath
        }
        guard let arguments = begun.arguments(recordingTo: directory?.escaped) else { throw StudioProblem.malformed }
        let link = try choice.linkArguments()
        let files = try TakeSettings(of: choice.destinations ?? [], call, settings)
        guard takes.withLock({ $0.beginStart() }) else {
            files.remove()
            throw StudioProblem(.conflict, "A recording is being started; wait for it.")
        }
        var kept = choice
        kept.window = nil
        choices.keep(StudioJSON.encode(kept))
        let message = StudioLoop.Message.record(
            arguments + link + files.arguments, variables: choice.variables, settings: files,
            departure: choice.leaves ? Int64((choice.countdown ?? 0) + longestDeparture) * 1_000_000_000 : nil)
        // Pages leave once they hear of the start, so the loop waits for that before. What it holds cannot end earlier.
        if choice.leaves { inbox.post(message) }
        let starting = Starting(isStarting: true, countdown: choice.countdown, leaves: choice.leaves)
        hub.send("starting", starting, isState: true)
        if !choice.leaves { inbox.post(message) }
        return .accepted
    }

    /// The recording that was asked for has begun, or has failed.
    func endStart() {
        takes.withLock { $0.endStart() }
        hub.send("starting", Starting(isStarting: false), isState: true)
    }

    /// Shows the free space.
    func show(_ space: DiskSpace) { hub.send("disk", space, isState: true) }
}
