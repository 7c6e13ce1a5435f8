// The requests of a sheet's window.
import KineClient
import KinePlatform
import KineServices
import KineWire

extension Studio {
    private struct Checked: Decodable {
        var values: [String: String]
    }

    private struct Answered: Decodable {
        var step: Int
        var service: String?
        var isMicrophoneEnabled: Bool?
        var values: [String: String]?
        var finished: Bool?
    }

    private struct Shared: Decodable {
        var activity: String
        var address: String?
    }

    func sheetEvents(_ id: String) -> StudioResponse {
        sheets.connect(id, at: MonotonicClock.now()).map(StudioResponse.events) ?? .answer(.sheetIsOver)
    }

    /// Checks values while the person types them.
    func checkSheet(_ id: String, _ body: [UInt8]) -> StudioAnswer {
        guard let checked = StudioJSON.decode(Checked.self, body) else { return .malformed }
        guard let prompt = sheets.prompt(of: id) else { return .sheetIsOver }
        guard case .form(let form) = prompt else { return .notAsked }
        return StudioAnswer(form.problems(with: checked.values))
    }

    func answerSheet(_ id: String, _ body: [UInt8]) -> StudioAnswer {
        guard let answered = StudioJSON.decode(Answered.self, body) else { return .malformed }
        guard let prompt = sheets.prompt(of: id) else { return .sheetIsOver }
        let answer: SheetAnswer
        if sheets.isBusy(id) {
            return StudioAnswer(
                .conflict, message: "The recording is still being saved or shared; wait for that, or cancel it.")
        }
        switch (prompt, answered.service, answered.values) {
        case (.choice, let service?, nil):
            answer = .service(service, isMicrophoneEnabled: answered.isMicrophoneEnabled ?? false)
        case (.form(let form), nil, let values?):
            let known = values.filter { value in form.fields.contains { $0.key == value.key } }
            var found = form.problems(with: known)
            found.problems.merge(form.missing(in: known)) { first, _ in first }
            guard found.problems.isEmpty else { return StudioAnswer(found) }
            answer = .values(known)
        case (.recording, nil, nil) where answered.finished == true: answer = .finished
        default: return .notAsked
        }
        guard sheets.answer(answer, step: answered.step, of: id) else { return .notAsked }
        return StudioAnswer(FieldProblems())
    }

    /// Lets the app do something with its recording.
    func begin(_ operation: LibraryOperation, of id: String, _ body: [UInt8]) async -> StudioAnswer {
        do throws(LibraryProblem) {
            guard let prompt = sheets.prompt(of: id) else { return .sheetIsOver }
            guard case .recording(let recording) = prompt else { return .notAsked }
            let file = LibraryFile.id(of: recording.path)
            let (kind, task) = try await task(operation, recording, file, body)
            let excerpt = StudioJSON.decode(Excerpt.self, body)
            let job = Jobs.newID()
            guard sheets.add(job, to: id) else { return .sheetIsOver }
            do throws(LibraryProblem) {
                try jobs.start(kind, of: file, as: job) { [sheets, library] fraction throws(LibraryProblem) in
                    defer { sheets.remove(job, from: id) }
                    var task = task
                    if let excerpt, excerpt.asks, case .trim(let start, let end, _, _) = task {
                        let (path, isReplaced) = try await library.askForPlace(of: excerpt)
                        task = .trim(from: start, to: end, into: path, replacing: isReplaced)
                    }
                    try await sheets.perform(task, of: id, fraction)
                    return nil
                }
            } catch {
                sheets.remove(job, from: id)
                throw error
            }
            return .job(job)
        } catch {
            return StudioAnswer(error)
        }
    }

    private func task(
        _ operation: LibraryOperation, _ recording: SheetRecording, _ file: String, _ body: [UInt8]
    ) async throws(LibraryProblem) -> (JobProgress.Kind, SheetTask) {
        switch operation {
        case .trim:
            let excerpt: Excerpt = try parameter(body)
            let (_, request) = try await library.blocking { library throws(LibraryProblem) in
                try library.plan(excerpt, of: file)
            }
            let path = excerpt.replaces == true ? nil : request.output
            return (
                .trim,
                .trim(from: request.start ?? .zero, to: request.end ?? .zero, into: path, replacing: false)
            )
        case .share:
            let shared: Shared = try parameter(body)
            guard recording.activities.contains(where: { $0.id == shared.activity }) else { throw .malformed }
            return (.share, .share(activity: shared.activity, address: shared.address))
        default:
            guard !recording.isSaved else { throw .saved }
            let name: Name = try parameter(body)
            let path = try await library.blocking { library throws(LibraryProblem) in
                try library.newPath(named: name.name)
            }
            return (.save, .save(to: path, replacing: false))
        }
    }

    func cancelSheet(_ id: String) -> StudioAnswer {
        guard sheets.prompt(of: id) != nil else { return .sheetIsOver }
        sheets.cancel(id)
        return .done
    }
}

extension SheetForm {
    fileprivate func problems(with values: [String: String]) -> FieldProblems {
        FieldProblems(of: values, in: fields.compactMap { ServiceManifest.SetupField($0) })
    }

    fileprivate func missing(in values: [String: String]) -> [String: String] {
        let missing = fields.filter {
            $0.required == true && ($0.default ?? "").isEmpty && (values[$0.key] ?? "").isEmpty
        }
        return Dictionary(missing.map { ($0.key, "\($0.title ?? $0.key) must be given.") }, uniquingKeysWith: { $1 })
    }
}

extension StudioAnswer {
    fileprivate static let sheetIsOver = StudioAnswer(.notFound, message: "This is over; the window can be closed.")
    fileprivate static let notAsked = StudioAnswer(
        .conflict, message: "This is not asked for any more; look at the window again.")
}
