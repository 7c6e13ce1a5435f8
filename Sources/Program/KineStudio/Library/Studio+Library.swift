// Answers the requests about recordings, and those about jobs.
import Kinecast

extension StudioRoute {
    private struct Moment: Decodable { var time: Double }
    private struct Step: Decodable {
        var time: Double
        var frames: Int
    }
    private struct Undo: Codable { var undo: String }
    private struct Waveform: Encodable {
        var peaks: [UInt8]
        var hasAudio: Bool
    }

    static let library: [StudioRoute] = [
        .get("api/recordings") { studio, call in
            let listing = try await studio.library.blocking { library in library.listing() }
            guard let scope = call.scope else { throw StudioGate.Refusal.noSession }
            return .json(listing.filtered { studio.shows($0, in: scope) })
        },
        .get("api/activities") { _, _ in .json(UsualActivity.allCases.map(\.offer)) },
        .get("api/dialog") { studio, _ in .json(["isThere": await studio.library.dialog.isThere()]) },
        .get("api/media/{media}", .media) { studio, call in
            try await studio.media(call["media"], call.request.range)
        },
        one(get, "poster") { library, id, _ in
            try await library.poster(id).map { .image("jpeg", $0) } ?? .nothing
        },
        one(get, "waveform") { library, id, _ in
            let peaks = try await library.waveform(id)
            return .json(Waveform(peaks: peaks, hasAudio: !peaks.isEmpty))
        },
        one(get, "strip") { library, id, _ in .json(["images": try await library.strip(id)]) },
        one(post, "frame") { library, id, call in
            .image("png", try await library.frame(id, at: call.value(Moment.self).time))
        },
        one(post, "step") { library, id, call in
            let step: Step = try call.value()
            return .json(["time": try await library.step(id, from: step.time, by: step.frames)])
        },
        one(post, "open") { library, id, _ in .json(["address": "api/media/\(try await library.open(id))"]) },
        one(post, "reveal") { library, id, _ in
            try await library.reveal(id)
            return .done
        },
        change("rename") { library, id, call in try await library.rename(id, to: call.value(TypedName.self).name) },
        change("save") { library, id, call in try await library.save(id, as: call.value(TypedName.self).name) },
        change("recover") { library, id, _ in try await library.recover(id) },
        .post("api/recordings/{recording}/delete") { studio, call in
            let undo = try await studio.library.delete(call["recording"])
            studio.showRecordings()
            return .json(Undo(undo: undo))
        },
        .post("api/recordings/undo") { studio, call in
            let recording = try await studio.library.restore(call.value(Undo.self).undo)
            studio.showRecordings()
            return .json(recording)
        },
        .post("api/recordings/{recording}/trim") { studio, call in
            .job(
                try await studio.library.trim(call["recording"], call.value(), studio.jobs) { [weak studio] in
                    studio?.showRecordings()
                })
        },
        .post("api/recordings/{recording}/film") { studio, call in
            .job(
                try await studio.library.film(call["recording"], call.value(), studio.jobs) { [weak studio] in
                    studio?.showRecordings()
                })
        },
        .post("api/recordings/{recording}/share") { studio, call in
            .job(try await studio.library.share(call["recording"], call.value(), studio.jobs))
        },
        .post("api/jobs/{job}/cancel") { studio, call in
            guard studio.jobs.cancel(call["job"]) else {
                throw StudioProblem(.notFound, "This job has ended already; look at the list.")
            }
            return .done
        },
    ]

    private typealias Work = @Sendable (Library, String, StudioCall) async throws -> StudioResponse

    /// A request about one recording.
    private static func one(
        _ make: (String, Access, @escaping Handler) -> StudioRoute, _ verb: String, _ work: @escaping Work
    ) -> StudioRoute {
        make("api/recordings/{recording}/\(verb)", .session) { studio, call in
            try await work(studio.library, call["recording"], call)
        }
    }

    /// A request that changes one recording, and so the list.
    private static func change(
        _ verb: String, _ work: @escaping @Sendable (Library, String, StudioCall) async throws -> RecordingModel
    ) -> StudioRoute {
        .post("api/recordings/{recording}/\(verb)") { studio, call in
            let changed = try await work(studio.library, call["recording"], call)
            studio.families.add(changed.id, madeOf: call["recording"])
            studio.showRecordings()
            return .json(changed)
        }
    }
}

/// The name that a person has typed.
struct TypedName: Decodable { var name: String }

extension Studio {
    /// Reports that the list of recordings has changed.
    func showRecordings() { hub.send("recordings", ["count": library.nextChange()], isState: true) }

    fileprivate func media(_ token: String, _ range: String?) async throws -> StudioResponse {
        let file = try await library.blocking { library in try library.mediaFile(token) }
        let range = MediaRange(range, size: file.size)
        guard range == .unsatisfiable else { return .media(file, range) }
        var answer = StudioAnswer(
            .rangeNotSatisfiable, message: "The file has \(file.size) bytes; ask for one range within it.")
        answer.fields.append((.contentRange, "bytes */\(file.size)"))
        return .answer(answer)
    }
}
