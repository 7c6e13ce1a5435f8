// Asks the person at the terminal for a service, its settings, and consent.
import FoundationEssentials
import KineText
import Synchronization

/// The picker of an app that has a terminal. Typed secrets are not shown; Enter alone takes the default. With a single
/// service, Enter agrees to it and only required fields are asked for; `more` asks for all.
public final class TerminalPresenter: BroadcastPresenter {
    let path: String
    /// Nil without a desktop.
    private let openBrowser: (@Sendable (URL) -> Void)?
    /// Waits for the Enter that cancels a countdown or a login.
    private let cancelling = Mutex<Task<Void, Never>?>(nil)

    /// Whether the next form asks only for required fields.
    private let isBrief = Mutex(false)

    public convenience init() {
        self.init(path: "/dev/tty", openBrowser: Browser.isAvailable ? Browser.open : nil)
    }

    /// - Parameter path: the path of the terminal device.
    init(path: String, openBrowser: (@Sendable (URL) -> Void)? = nil) {
        self.path = path
        self.openBrowser = openBrowser
    }

    deinit { close() }

    public func chooseService(_ request: BroadcastRequest) async throws(BroadcastError) -> BroadcastChoice {
        isBrief.withLock { $0 = false }
        let name = request.app.name ?? request.app.identifier
        if request.services.count == 1 { return try await confirm(request.services[0], request, name) }
        var lines = ["\(name) wants to broadcast. Services:"]
        for (number, service) in request.services.enumerated() {
            lines.append("  \(number + 1)  \(service.name) (\(service.id))")
        }
        let service = try await ask(lines, "Number of the service, or q to cancel: ") { (answer) throws(Mistake) in
            guard let number = Int(answer), request.services.indices.contains(number - 1) else {
                throw Mistake("Type a number from 1 to \(request.services.count), or q.")
            }
            return request.services[number - 1].id
        }
        return BroadcastChoice(service: service, isMicrophoneEnabled: try await microphone(request))
    }

    /// Asks whether to use the only service. Enter agrees.
    private func confirm(
        _ service: BroadcastService, _ request: BroadcastRequest, _ name: String
    ) async throws(BroadcastError) -> BroadcastChoice {
        let isEnabled = request.isMicrophoneEnabled
        let microphone = request.showsMicrophoneButton ? ", \(isEnabled ? "with" : "without") the microphone" : ""
        let hasMore = request.showsMicrophoneButton || !service.fields.isEmpty
        let wantsMore = try await ask(
            ["\(name) wants to broadcast through \(service.name) (\(service.id))\(microphone)."],
            "Enter to agree\(hasMore ? ", more to change the settings" : ""), or q to cancel: "
        ) { (answer) throws(Mistake) in
            switch answer.lowercased() {
            case "": false
            case "more" where hasMore: true
            default: throw Mistake("Press Enter, or type \(hasMore ? "more or " : "")q.")
            }
        }
        isBrief.withLock { $0 = !wantsMore }
        return BroadcastChoice(
            service: service.id, isMicrophoneEnabled: wantsMore ? try await self.microphone(request) : isEnabled)
    }

    /// Asks whether to turn the microphone on, if the request lets the person choose.
    private func microphone(_ request: BroadcastRequest) async throws(BroadcastError) -> Bool {
        let usual = request.isMicrophoneEnabled
        guard request.showsMicrophoneButton else { return usual }
        return try await ask([], "Microphone on, y or n [\(usual ? "y" : "n")]: ") { (answer) throws(Mistake) in
            switch answer.lowercased() {
            case "": usual
            case "y", "yes": true
            case "n", "no": false
            default: throw Mistake("Type y or n.")
            }
        }
    }

    public func fillIn(_ form: BroadcastForm) async throws(BroadcastError) -> [String: String] {
        var values: [String: String] = [:]
        var lines = [form.message].compactMap(\.self)
        let isBrief = isBrief.withLock { isBrief in
            defer { isBrief = false }
            return isBrief
        }
        for field in form.fields {
            if isBrief, !field.isRequired || field.defaultValue ?? "" != "" {
                values[field.key] = ""
                continue
            }
            lines += Self.explanation(of: field)
            values[field.key] = try await ask(lines, Self.prompt(for: field), isSecret: field.isSecret) {
                (answer) throws(Mistake) in
                if answer.isEmpty, field.isRequired, field.defaultValue ?? "" == "" {
                    throw Mistake("\(field.title) must be given.")
                }
                if let problem = field.problem(with: answer) { throw Mistake("\(field.title) \(problem).") }
                return answer
            }
            lines = []
        }
        return values
    }

    private static func explanation(of field: BroadcastField) -> [String] {
        var lines = [field.hint].compactMap(\.self)
        if case .choice(let choices) = field.kind {
            lines += choices.map { "  \($0.value)  \($0.title == $0.value ? "" : $0.title)" }
        }
        return lines
    }

    private static func prompt(for field: BroadcastField) -> String {
        var remarks: [String] = []
        if field.isSecret { remarks.append("not shown") }
        if let value = field.defaultValue, !value.isEmpty, !field.isSecret {
            remarks.append(value)
        } else if !field.isRequired {
            remarks.append("may be empty")
        }
        return field.title + (remarks.isEmpty ? "" : " [\(remarks.joined(separator: ", "))]") + ": "
    }

    public func showLogin(
        _ address: URL, for service: BroadcastService, cancel: @escaping @Sendable () -> Void
    ) async {
        let host = address.host(percentEncoded: true) ?? ""
        let line = "To log in to \(service.name) at \(host), open \(address.absoluteString)"
        guard let openBrowser else { return show(line + " (press Enter to cancel).", cancel: cancel) }
        let path = path
        cancelling.withLock { cancelling in
            cancelling?.cancel()
            cancelling = Task {
                if await Self.logIn(at: address, line + ".", on: path, openBrowser) { cancel() }
            }
        }
    }

    /// Opens the address once the person agrees. Returns whether the person cancels the login, then or later.
    private static func logIn(
        at address: URL, _ line: String, on path: String, _ openBrowser: (URL) -> Void
    ) async -> Bool {
        var lines = [line]
        let prompt = "Enter to open it in the browser, or q to cancel: "
        while let answer = try? await TerminalDialog.ask(on: path, lines, prompt, isSecret: false), answer != "q" {
            lines = []
            guard answer.isEmpty else { continue }
            openBrowser(address)
            lines = ["Press Enter to cancel the login."]
            return (try? await TerminalDialog.ask(on: path, lines, "", isSecret: false)) != nil
        }
        return !Task.isCancelled
    }

    public func hideLogin() async { close() }

    public func showCountdown(_ secondsLeft: Int, cancel: @escaping @Sendable () -> Void) async {
        show("Broadcasting begins in \(secondsLeft) s; press Enter to cancel.", cancel: cancel)
    }

    /// Shows a line; Enter cancels.
    private func show(_ line: String, cancel: @escaping @Sendable () -> Void) {
        let path = path
        cancelling.withLock { cancelling in
            if cancelling != nil { return TerminalDialog.show(line, on: path) }
            cancelling = Task {
                guard (try? await TerminalDialog.ask(on: path, [line], "", isSecret: false)) != nil else { return }
                cancel()
            }
        }
    }

    public func close() {
        cancelling.withLock { cancelling in
            cancelling?.cancel()
            cancelling = nil
        }
    }

    /// The reason to ask again.
    private struct Mistake: Error {
        let sentence: String
        init(_ sentence: String) { self.sentence = sentence }
    }

    /// Asks until the answer is valid. `lines` are shown only the first time.
    private func ask<Answer>(
        _ lines: [String], _ prompt: String, isSecret: Bool = false, _ read: (String) throws(Mistake) -> Answer
    ) async throws(BroadcastError) -> Answer {
        var lines = lines
        while true {
            guard let text = try await TerminalDialog.ask(on: path, lines, prompt, isSecret: isSecret) else {
                throw .cancelled(by: "the person at the terminal")
            }
            // A secret may be "q".
            if text == "q", !isSecret { throw .cancelled(by: "the person at the terminal") }
            do throws(Mistake) { return try read(text) } catch { lines = [error.sentence] }
        }
    }
}
