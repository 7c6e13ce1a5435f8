// Answers the requests about what can be chosen. Pictures and levels are announced by events, for as long as
// `StudioLoop.lookLifetime` after a request.
import KineWire

extension StudioRoute {
    static let survey: [StudioRoute] = [
        .post("api/survey") { studio, call in studio.ask(.survey(try call.value())) },
        .get("api/pictures/{picture}") { studio, call in
            guard let number = Int(call["picture"]) else { throw StudioGate.Refusal.notFound }
            let (jpeg, last) = studio.survey.withLock { ($0.picture(number), $0.lastPicture) }
            if let jpeg { return .image("jpeg", jpeg) }
            // A newer one took its place while the page was asking.
            guard number > 0, number <= last else { throw StudioGate.Refusal.notFound }
            return .nothing
        },
    ]
}

extension Studio {
    /// Shows the levels of the audio that a page has chosen.
    func show(_ levels: SurveyLevels) {
        hub.send("levels", ShownLevels(levels.levels, problem: levels.problem), isState: true)
    }

    /// Shows the camera that a page has chosen.
    func show(_ camera: SurveyCamera) { hub.send("camera", survey.withLock { $0.update(camera) }, isState: true) }

    /// Shows whether the screen is locked, as the survey says.
    func show(isLocked: Bool) {
        guard survey.withLock({ $0.isLocked }) != isLocked else { return }
        update { $0.isLocked = isLocked }
        hub.send("locked", isLocked, isState: true)
    }

    /// Shows what can be chosen after a change.
    func update(_ change: (inout SurveyState) -> Void) {
        let choices = survey.withLock { survey in
            change(&survey)
            return survey.choices
        }
        hub.send("choices", choices, isState: true)
    }
}
