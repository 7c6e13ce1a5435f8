// Answers the requests about recordings.
import HTTPTypes
import KineMedia
import KinePlatform
import Kinecast

extension Studio {
    struct Name: Decodable { var name: String }
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
    private struct Strip: Encodable { var images: [StripImage] }

    /// Reports that the list of recordings has changed.
    func showRecordings() { hub.send("recordings", ["count": library.nextChange()], isState: true) }

    func respond(
        _ operation: LibraryOperation, _ parameters: [String: String], _ body: [UInt8], range: String?
    ) async -> StudioResponse {
        do throws(LibraryProblem) {
            if operation == .media { return try await media(parameters["media"] ?? "", range) }
            return .answer(try await answer(operation, parameters["recording"] ?? parameters["job"] ?? "", body))
        } catch {
            return .answer(StudioAnswer(error))
        }
    }

    private func media(_ token: String, _ range: String?) async throws(LibraryProblem) -> StudioResponse {
        let file = try await library.blocking { library throws(LibraryProblem) in try library.media.file(token) }
        let range = MediaRange(range, size: file.size)
        guard range == .unsatisfiable else { return .media(file, range) }
        var answer = StudioAnswer(
            .rangeNotSatisfiable, message: "The file has \(file.size) bytes; ask for one range within it.")
        answer.fields.append((.contentRange, "bytes */\(file.size)"))
        return .answer(answer)
    }

    private func answer(
        _ operation: LibraryOperation, _ id: String, _ body: [UInt8]
    ) async throws(LibraryProblem) -> StudioAnswer {
        switch operation {
        case .list: return StudioAnswer(try await library.blocking { library in library.listing() })
        case .poster:
            guard let jpeg = try await library.poster(id) else { return StudioAnswer(status: .noContent, body: []) }
            return StudioAnswer(type: "image/jpeg", body: jpeg)
        case .waveform:
            let peaks = try await library.waveform(id)
            return StudioAnswer(Waveform(peaks: peaks, hasAudio: !peaks.isEmpty))
        case .strip: return StudioAnswer(Strip(images: try await library.strip(id)))
        case .frame:
            return StudioAnswer(
                type: "image/png", body: try await library.frame(id, at: (try parameter(body) as Moment).time))
        case .step:
            let step: Step = try parameter(body)
            return StudioAnswer(["time": try await library.step(id, from: step.time, by: step.frames)])
        case .open:
            try checkObject(body)
            return StudioAnswer(["address": "api/media/\(try await library.open(id))"])
        case .dialog: return StudioAnswer(["isThere": await library.dialog.isThere()])
        case .activities: return StudioAnswer(UsualActivity.allCases.map(\.offer))
        case .share: return try await .job(library.share(id, parameter(body), jobs))
        case .trim:
            return try await .job(library.trim(id, parameter(body), jobs) { [weak self] in self?.showRecordings() })
        case .cancel:
            try checkObject(body)
            guard jobs.cancel(id) else { throw LibraryProblem(.notFound, "This is over already; look at the list.") }
            return .done
        case .rename, .save, .delete, .undo, .recover:
            let answer = try await change(operation, id, body)
            showRecordings()
            return answer
        // `respond` answers it.
        case .media: return .done
        }
    }

    private func change(
        _ operation: LibraryOperation, _ id: String, _ body: [UInt8]
    ) async throws(LibraryProblem) -> StudioAnswer {
        switch operation {
        case .rename: return StudioAnswer(try await library.rename(id, to: (parameter(body) as Name).name))
        case .save: return StudioAnswer(try await library.save(id, as: (parameter(body) as Name).name))
        case .undo: return StudioAnswer(try await library.restore((parameter(body) as Undo).undo))
        case .delete:
            try checkObject(body)
            return StudioAnswer(Undo(undo: try await library.delete(id)))
        default:
            try checkObject(body)
            return StudioAnswer(try await library.recover(id))
        }
    }

    func parameter<Value: Decodable>(_ body: [UInt8]) throws(LibraryProblem) -> Value {
        guard let value = StudioJSON.decode(Value.self, body) else { throw .malformed }
        return value
    }

    private func checkObject(_ body: [UInt8]) throws(LibraryProblem) {
        guard StudioJSON.isObject(body) else { throw .malformed }
    }
}

extension StudioAnswer {
    static func job(_ id: String) -> StudioAnswer {
        StudioAnswer(status: .accepted, body: StudioJSON.encode(["job": id]))
    }
}
