// Answers the requests about recordings.
import HTTPTypes
import KineMedia
import KinePlatform

extension Studio {
    private struct Name: Decodable { var name: String }
    private struct Moment: Decodable { var time: Double }
    private struct Step: Decodable {
        var time: Double
        var frames: Int
    }
    private struct Undo: Codable { var undo: String }
    private struct Strip: Encodable { var images: [StripImage] }

    /// Reports that the list of recordings has changed.
    func showRecordings() { hub.send("recordings", ["count": library.nextChange()], isState: true) }

    func respond(
        _ operation: LibraryOperation, _ parameters: [String: String], _ body: [UInt8], range: String?
    ) async -> StudioResponse {
        do throws(LibraryProblem) {
            if operation == .media { return try await media(parameters["media"] ?? "", range) }
            return .answer(try await answer(operation, parameters["recording"] ?? "", body))
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
        case .strip: return StudioAnswer(Strip(images: try await library.strip(id)))
        case .frame:
            return StudioAnswer(
                type: "image/png", body: try await library.frame(id, at: try parameter(Moment.self, body).time))
        case .step:
            let step = try parameter(Step.self, body)
            return StudioAnswer(["time": try await library.step(id, from: step.time, by: step.frames)])
        case .open:
            try checkObject(body)
            return StudioAnswer(["address": "api/media/\(try await library.open(id))"])
        // The rest changes files.
        case .rename:
            return try await changed { () throws(LibraryProblem) in
                StudioAnswer(try await library.rename(id, to: try parameter(Name.self, body).name))
            }
        case .save:
            return try await changed { () throws(LibraryProblem) in
                StudioAnswer(try await library.save(id, as: try parameter(Name.self, body).name))
            }
        case .delete:
            return try await changed { () throws(LibraryProblem) in
                try checkObject(body)
                return StudioAnswer(Undo(undo: try await library.delete(id)))
            }
        case .undo:
            return try await changed { () throws(LibraryProblem) in
                StudioAnswer(try await library.restore(try parameter(Undo.self, body).undo))
            }
        case .recover:
            return try await changed { () throws(LibraryProblem) in
                try checkObject(body)
                return StudioAnswer(try await library.recover(id))
            }
        // `respond` answers it.
        case .media: return .done
        }
    }

    private func changed(
        _ change: () async throws(LibraryProblem) -> StudioAnswer
    ) async throws(LibraryProblem) -> StudioAnswer {
        let answer = try await change()
        showRecordings()
        return answer
    }

    private func parameter<Value: Decodable>(_ type: Value.Type, _ body: [UInt8]) throws(LibraryProblem) -> Value {
        guard let value = StudioJSON.decode(type, body) else { throw .malformed }
        return value
    }

    private func checkObject(_ body: [UInt8]) throws(LibraryProblem) {
        guard StudioJSON.isObject(body) else { throw .malformed }
    }
}
