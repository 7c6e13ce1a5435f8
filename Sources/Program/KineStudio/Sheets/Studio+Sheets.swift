// Answers the requests of a sheet's window.
import KinePlatform
import KineServices
import KineWire

extension StudioRoute {
    private struct Shared: Decodable {
        var activity: String
        var address: String?
    }

    static let sheets: [StudioRoute] = [
        .get("api/sheets/{sheet}/events") { studio, call in
            guard let events = studio.sheets.connect(call["sheet"], at: MonotonicClock.now()) else {
                throw StudioProblem.sheetIsOver
            }
            return .events(events)
        },
        // Checks values while the person types them.
        .post("api/sheets/{sheet}/check") { studio, call in
            guard case .form(let form) = try studio.prompt(of: call["sheet"]) else { throw StudioProblem.notAsked }
            return .json(form.problems(with: try call.value(TypedValues.self).values))
        },
        .post("api/sheets/{sheet}/answer") { studio, call in
            .json(try studio.answerSheet(call["sheet"], call.value()))
        },
        .post("api/sheets/{sheet}/cancel") { studio, call in
            _ = try studio.prompt(of: call["sheet"])
            studio.sheets.cancel(call["sheet"])
            return .done
        },
        task("save", .save) { studio, recording, call in
            guard !recording.isSaved else { throw StudioProblem.saved }
            let name = try call.value(TypedName.self).name
            return .save(
                to: try await studio.library.blocking { library in try library.newPath(named: name) },
                replacing: false)
        },
        task("trim", .trim) { studio, recording, call in
            let excerpt: Excerpt = try call.value()
            let (_, request) = try await studio.library.blocking { library in
                try library.plan(excerpt, of: LibraryFile.id(of: recording.path))
            }
            let path = excerpt.replaces == true ? nil : request.output
            return .trim(from: request.start ?? .zero, to: request.end ?? .zero, into: path, replacing: false)
        },
        task("share", .share) { _, recording, call in
            let shared: Shared = try call.value()
            guard recording.activities.contains(where: { $0.id == shared.activity }) else {
                throw StudioProblem.malformed
            }
            return .share(activity: shared.activity, address: shared.address)
        },
    ]

    /// A request to an app about its own recording, which it carries out.
    private static func task(
        _ verb: String, _ kind: JobProgress.Kind,
        _ plan: @escaping @Sendable (Studio, SheetRecording, StudioCall) async throws -> SheetTask
    ) -> StudioRoute {
        .post("api/sheets/{sheet}/\(verb)") { studio, call in
            let (sheet, sheets, library) = (call["sheet"], studio.sheets, studio.library)
            guard case .recording(let recording) = try studio.prompt(of: sheet) else { throw StudioProblem.notAsked }
            let planned = try await plan(studio, recording, call)
            let excerpt = StudioJSON.decode(Excerpt.self, call.body)
            let job = try studio.jobs.start(kind, of: LibraryFile.id(of: recording.path), for: sheet) { fraction in
                // The sheet may have ended before the job was known. If it ends from now on, it cancels the job.
                guard sheets.prompt(of: sheet) != nil else { throw StudioProblem.appIsGone }
                var task = planned
                if let excerpt, excerpt.asks, case .trim(let start, let end, _, _) = task {
                    let (path, isReplaced) = try await library.askForPlace(of: excerpt)
                    task = .trim(from: start, to: end, into: path, replacing: isReplaced)
                }
                try await sheets.perform(task, of: sheet, fraction)
                return nil
            }
            return .job(job)
        }
    }
}

extension Studio {
    fileprivate struct Answer: Decodable {
        var step: Int
        var service: String?
        var isMicrophoneEnabled: Bool?
        var showsForm: Bool?
        var values: [String: String]?
        var finished: Bool?
    }

    /// The content of a sheet that runs.
    fileprivate func prompt(of id: String) throws(StudioProblem) -> SheetPrompt {
        guard let prompt = sheets.prompt(of: id) else { throw .sheetIsOver }
        return prompt
    }

    /// Returns the problems of a form's values. Without any, the app gets the answer.
    fileprivate func answerSheet(_ id: String, _ given: Answer) throws(StudioProblem) -> FieldProblems {
        let prompt = try prompt(of: id)
        if jobs.areRunning(for: id) {
            throw StudioProblem(
                .conflict, "The recording is still being saved or shared; wait for that, or cancel it.")
        }
        let answer: SheetAnswer
        switch (prompt, given.service, given.values) {
        case (.choice, let service?, nil):
            answer = .service(service, isMicrophoneEnabled: given.isMicrophoneEnabled ?? false)
        case (.form(let form), nil, let values?):
            let known = values.filter { value in form.fields.contains { $0.key == value.key } }
            var found = form.problems(with: known)
            for field in form.fields
            where field.required == true && (field.default ?? "").isEmpty && (known[field.key] ?? "").isEmpty {
                found.problems[field.key] = "\(field.title ?? field.key) must be given."
            }
            guard found.problems.isEmpty else { return found }
            answer = .values(known)
        case (.recording, nil, nil) where given.finished == true: answer = .finished
        default: throw .notAsked
        }
        guard sheets.answer(answer, step: given.step, showsForm: given.showsForm ?? false, of: id) else {
            throw .notAsked
        }
        return FieldProblems()
    }
}

extension SheetForm {
    fileprivate func problems(with values: [String: String]) -> FieldProblems {
        FieldProblems(of: values, in: fields.compactMap { ServiceManifest.SetupField($0) })
    }
}

extension StudioProblem {
    static let appIsGone = StudioProblem(
        .notFound, "The app has ended, or its window was closed; look for the recording in Recordings.")
    static let sheetIsOver = StudioProblem(.notFound, "This request has ended; close the window.")
    fileprivate static let notAsked = StudioProblem(
        .conflict, "The question has changed; answer the one now shown.")
}
