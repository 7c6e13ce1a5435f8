// The messages that the lines of Recorded/setup-*.jsonl mean, in order. Lines are only ever added there.
import KineMedia

@testable import KineWire

enum RecordedSetupMessages {
    static let requests: [SetupRequest] = [
        .start(SetupStart(service: "meter", app: AppIdentity(identifier: "org.example.App", name: "App"))),
        .answers(["token": "mt_1"], question: 1), .cancel,
    ]

    static let reports: [SetupReport] = [
        .ask(SetupQuestion(question: 1, message: "Where to?", fields: fields)),
        .login("https://example.org/device?code=ABCD"),
        .finished(SetupResult(setupInfo: ["token": "mt_1"], broadcastURL: "https://example.org/watch")),
        .finished(SetupResult(setupInfo: [:])), .failed("The account may not broadcast."),
    ]

    private static let fields = {
        var token = SetupQuestionField(key: "token", title: "Token", type: .secret, required: true)
        token.hint = "On the site."
        token.pattern = "mt_*"
        var quality = SetupQuestionField(key: "quality", type: .choice)
        quality.choices = [.init(value: "low"), .init(value: "high", title: "Best")]
        quality.default = "low"
        var every = SetupQuestionField(key: "every", type: .number)
        (every.minimum, every.maximum, every.whole) = (1, 60, true)
        return [token, quality, every]
    }()
}
