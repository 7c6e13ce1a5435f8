// Activities that pass a recording to another program: a player, or the e-mail program.
import FoundationEssentials

/// Opens the recording in a program, which runs independently.
public struct OpenActivity: ShareActivity {
    public let type = ShareActivityType.open
    public let title = "Open"
    private let program: String?
    var timeout = DesktopProgram.timeout

    /// - Parameter program: a name in PATH, or a path; nil: the desktop's program for videos.
    public init(with program: String? = nil) { self.program = program }

    public func perform(
        with recording: SharedRecording, progress: @escaping @Sendable (ShareProgress) -> Void
    ) async throws -> URL? {
        let candidates =
            program.map { [DesktopProgram(name: $0, arguments: [])] } ?? DesktopProgram.openers
        try await DesktopProgram.start(
            candidates, adding: [recording.url.path], remedy: program == nil ? "install xdg-utils" : "install it",
            timeout: timeout)
        return nil
    }
}

/// Begins an e-mail with the recording attached, in the user's e-mail program.
public struct EmailActivity: ShareActivity {
    public let type = ShareActivityType.email
    public let title = "E-mail"
    private let recipients: [String]
    private let subject: String
    private let body: String
    var timeout = DesktopProgram.timeout

    public init(to recipients: [String] = [], subject: String = "", body: String = "") {
        self.recipients = recipients
        self.subject = subject
        self.body = body
    }

    public func perform(
        with recording: SharedRecording, progress: @escaping @Sendable (ShareProgress) -> Void
    ) async throws -> URL? {
        // It would be taken for an option.
        if let recipient = recipients.first(where: { $0.hasPrefix("-") || !$0.contains("@") }) {
            throw RecordingError(.failedToShare, "“\(recipient)” is not an e-mail address; correct it.")
        }
        var arguments = ["--utf8", "--attach", recording.url.path]
        if !subject.isEmpty { arguments += ["--subject", subject] }
        if !body.isEmpty { arguments += ["--body", body] }
        try await DesktopProgram.start(
            [DesktopProgram(name: "xdg-email", arguments: arguments)], adding: recipients,
            remedy: "install xdg-utils", timeout: timeout)
        return nil
    }
}

extension ShareActivity where Self == OpenActivity {
    /// Opens the recording in the desktop's program for videos.
    public static var open: OpenActivity { OpenActivity() }

    /// Opens the recording in that program: a name in PATH, or a path.
    public static func open(with program: String) -> OpenActivity { OpenActivity(with: program) }
}

extension ShareActivity where Self == EmailActivity {
    /// Begins an e-mail with the recording attached.
    public static func email(to recipients: [String] = [], subject: String = "", body: String = "") -> EmailActivity {
        EmailActivity(to: recipients, subject: subject, body: body)
    }
}
