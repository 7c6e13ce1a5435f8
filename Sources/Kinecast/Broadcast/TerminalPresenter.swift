// Asks the person at the terminal: which service, what it needs to know, and whether to go on.
import FoundationEssentials
import KinePlatform
import KineServices
import Synchronization

/// The picker of an app that has a terminal. Secrets are typed without being shown; a line's end alone takes the default.
public final class TerminalPresenter: BroadcastPresenter {
    private let path: String
    /// Waits for the Enter that cancels a countdown or a login.
    private let cancelling = Mutex<Task<Void, Never>?>(nil)

    public convenience init() { self.init(path: "/dev/tty") }

    /// - Parameter path: of the terminal's device.
    init(path: String) { self.path = path }

    deinit { close() }

    public func chooseService(_ request: BroadcastRequest) async throws(BroadcastError) -> BroadcastChoice {
        var lines = ["\(request.app.name ?? request.app.identifier) wants to broadcast. Services:"]
        for (number, service) in request.services.enumerated() {
            lines.append("  \(number + 1)  \(service.name) (\(service.id))")
        }
        let prompt = "Number of the service, or q to cancel\(request.services.count == 1 ? " [1]" : ""): "
        let service = try await ask(lines, prompt) { (answer) throws(Mistake) in
            let answer = answer.isEmpty && request.services.count == 1 ? "1" : answer
            guard let number = Int(answer), request.services.indices.contains(number - 1) else {
                throw Mistake("Type a number from 1 to \(request.services.count), or q.")
            }
            return request.services[number - 1].id
        }
        var choice = BroadcastChoice(service: service, isMicrophoneEnabled: request.isMicrophoneEnabled)
        if request.showsMicrophoneButton {
            let usual = choice.isMicrophoneEnabled
            choice.isMicrophoneEnabled = try await ask([], "Microphone on, y or n [\(usual ? "y" : "n")]: ") {
                (answer) throws(Mistake) in
                switch answer.lowercased() {
                case "": usual
                case "y", "yes": true
                case "n", "no": false
                default: throw Mistake("Type y or n.")
                }
            }
        }
        return choice
    }

    public func fillIn(_ form: BroadcastForm) async throws(BroadcastError) -> [String: String] {
        var values: [String: String] = [:]
        var lines = [form.message].compactMap(\.self)
        for field in form.fields {
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

    public func showLogin(_ address: URL, for service: BroadcastService, cancel: @escaping @Sendable () -> Void) {
        show("To log in to \(service.name), open \(address.absoluteString) (press Enter to cancel).", cancel: cancel)
        Browser.open(address)
    }

    public func hideLogin() { close() }

    public func showCountdown(_ secondsLeft: Int, cancel: @escaping @Sendable () -> Void) async {
        show("Broadcasting begins in \(secondsLeft) s; press Enter to cancel.", cancel: cancel)
    }

    /// Shows a line while a line's end cancels.
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

    /// Why an answer is asked for once more.
    private struct Mistake: Error {
        let sentence: String
        init(_ sentence: String) { self.sentence = sentence }
    }

    /// Asks until the answer can be used. Only the first time shows `lines`.
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
            do throws(Mistake) {
                return try read(text)
            } catch {
                lines = [error.sentence]
            }
        }
    }
}
