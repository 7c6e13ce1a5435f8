// The requests of a sheet's window.
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
        switch (prompt, answered.service, answered.values) {
        case (.choice, let service?, nil):
            answer = .service(service, isMicrophoneEnabled: answered.isMicrophoneEnabled ?? false)
        case (.form(let form), nil, let values?):
            let known = values.filter { value in form.fields.contains { $0.key == value.key } }
            var found = form.problems(with: known)
            found.problems.merge(form.missing(in: known)) { first, _ in first }
            guard found.problems.isEmpty else { return StudioAnswer(found) }
            answer = .values(known)
        default: return .notAsked
        }
        guard sheets.answer(answer, step: answered.step, of: id) else { return .notAsked }
        return StudioAnswer(FieldProblems())
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
