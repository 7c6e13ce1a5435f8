// The course of a service's setup program, from start to result. No clock, no process, no I/O: inputs carry the time.
import FoundationEssentials
import KinePlatform
import KineServices
import KineText
import KineWire

/// Limits of a setup program: times in nanoseconds, and counts.
struct SetupLimits: Sendable {
    /// Until its first message, and until the next one after an answer.
    var answer: Int64 = 60_000_000_000
    /// For the person to log in elsewhere.
    var login: Int64 = 15 * 60_000_000_000
    /// For the whole program.
    var total: Int64 = 60 * 60_000_000_000
    /// For the program to exit by itself after its last message.
    var exit: Int64 = 2_000_000_000
    /// From the closing of the control channel to the exit, whose status tells more.
    var closedChannel: Int64 = 1_000_000_000
    var questions = 32
    var logins = 8
}

struct SetupStateMachine: Sendable {
    enum Input: Sendable, Equatable {
        case report(SetupReport)
        /// The person has filled in the fields of that question.
        case answered([String: String], question: Int)
        /// The person or the app cancels; the picker throws this error.
        case cancelled(BroadcastError)
        case channelClosed
        /// The program wrote something that is not a message.
        case protocolViolation(String)
        case exited(ChildProcess.Ending, stderrTail: String?)
        case time
    }

    enum Action: Sendable, Equatable {
        case ask(BroadcastForm, question: Int)
        case showLogin(URL)
        case hideLogin
        case send(SetupRequest)
        case kill
        /// The last action: the process is gone.
        case end(Outcome)
    }

    typealias Outcome = Result<SetupOutcome, BroadcastError>

    private enum State: Sendable, Equatable {
        /// The program must send a message before that time.
        case working(until: Int64)
        case asking
        case loggingIn(until: Int64)
        /// The outcome is known, and the program may exit by itself until that time; nil: it has been killed.
        case leaving(Outcome, until: Int64?)
        case over
    }

    private let service: BroadcastService
    private let limits: SetupLimits
    private let deadline: Int64
    private var state: State
    /// The time at which the program closed its control channel.
    private var closedAt: Int64?
    /// The fields of the question that the person has not answered yet; at most one.
    private var questions = PendingRequests<[BroadcastField]>()
    private var logins = 0
    /// The person's last answers for settings that only the person may provide.
    private var given: [String: String] = [:]
    /// Secrets that the person has typed.
    private var secrets: [String] = []

    init(_ service: BroadcastService, limits: SetupLimits, now: Int64) {
        self.service = service
        self.limits = limits
        deadline = now + limits.total
        state = .working(until: now + limits.answer)
    }

    var isOver: Bool { state == .over }

    /// The time at which `time` must be input at the latest; nil: no timer runs.
    var nextDeadline: Int64? {
        switch state {
        case .working(let until), .loggingIn(let until): min(until, deadline, closingDeadline)
        case .asking: min(deadline, closingDeadline)
        case .leaving(_, let until): until
        case .over: nil
        }
    }

    private var closingDeadline: Int64 { closedAt.map { $0 + limits.closedChannel } ?? .max }

    mutating func handle(_ input: Input, at now: Int64) -> [Action] {
        switch input {
        case .report(let report): return isRunning ? received(report, at: now) : []
        case .answered(let values, let question): return answered(values, question, at: now)
        case .cancelled(let error): return isRunning ? leave(.failure(error), at: now, saying: [.send(.cancel)]) : []
        case .channelClosed:
            closedAt = closedAt ?? now
            return []
        case .protocolViolation(let what): return isRunning ? fail(what) : []
        case .exited(let ending, let stderrTail): return exited(ending, stderrTail)
        case .time: return timePassed(at: now)
        }
    }

    private var isRunning: Bool {
        switch state {
        case .working, .asking, .loggingIn: true
        case .leaving, .over: false
        }
    }

    private mutating func received(_ report: SetupReport, at now: Int64) -> [Action] {
        do throws(CheckedSetupReport.Violation) {
            let manifest = service.service.manifest
            return received(
                try CheckedSetupReport(report, for: manifest, given: given, secrets: secrets), at: now)
        } catch {
            return fail(error.description)
        }
    }

    private mutating func received(_ report: CheckedSetupReport, at now: Int64) -> [Action] {
        if case .asking = state, !report.isLast { return fail("spoke before its question was answered") }
        let hiding = hideLogin
        switch report {
        case .ask(let number, let message, let fields):
            guard number == questions.add(fields) else { return fail("numbered a question wrongly") }
            guard number <= limits.questions else { return fail("asked more than \(limits.questions) questions") }
            state = .asking
            let form = BroadcastForm(service: service, message: message, fields: fields)
            return hiding + [.ask(form, question: number)]
        case .login(let url):
            logins += 1
            guard logins <= limits.logins else { return fail("wanted more than \(limits.logins) logins") }
            state = .loggingIn(until: now + limits.login)
            return hiding + [.showLogin(url)]
        case .finished(let info, let url):
            return leave(.success(SetupOutcome(info: info, broadcastURL: url)), at: now)
        case .failed(let sentence):
            // The program's sentence already says what to do.
            let message = "The setup of \(service.name) could not be completed: \(sentence.sentenceless)."
            return leave(.failure(BroadcastError(.setupFailed, message)), at: now)
        }
    }

    private mutating func answered(_ values: [String: String], _ question: Int, at now: Int64) -> [Action] {
        guard case .asking = state, let fields = questions.remove(question) else { return [] }
        let given = values.filter { !$0.value.isEmpty }
        for (key, _) in given.sorted(by: { $0.key < $1.key }) where !fields.contains(where: { $0.key == key }) {
            return cancelBecause(
                BroadcastError(
                    .unknownField, "The setup of \(service.name) asks for no field \(key.printable(limit: 40)).",
                    field: key), at: now)
        }
        var answers: [String: String] = [:]
        for field in fields {
            let value = given[field.key] ?? field.defaultValue ?? ""
            if value.isEmpty, field.isRequired {
                let words = "The setup of \(service.name) needs the field \(field.key) (\(field.title)); fill it in."
                return cancelBecause(BroadcastError(.missingField, words, field: field.key), at: now)
            }
            if let problem = field.problem(with: value) {
                let words =
                    "The field \(field.key) (\(field.title)) of the setup of \(service.name) \(problem); correct it."
                return cancelBecause(BroadcastError(.invalidField, words, field: field.key), at: now)
            }
            if !value.isEmpty { answers[field.key] = value }
            if service.service.manifest.engineOpens(field.key) { self.given[field.key] = value }
            if field.isSecret, !value.isEmpty { secrets.append(value) }
        }
        state = .working(until: now + limits.answer)
        return [.send(.answers(answers, question: question))]
    }

    private mutating func cancelBecause(_ error: BroadcastError, at now: Int64) -> [Action] {
        leave(.failure(error), at: now, saying: [.send(.cancel)])
    }

    private mutating func exited(_ ending: ChildProcess.Ending, _ stderrTail: String?) -> [Action] {
        let hiding = hideLogin
        switch state {
        case .over: return []
        case .leaving(let outcome, _):
            state = .over
            return [.end(outcome)]
        case .working, .asking, .loggingIn:
            state = .over
            if let program = service.service.setupProgram,
                let failure = LoadingFailure(of: program, ending, stderrTail: stderrTail)
            {
                let sentence = "The setup of \(service.name) \(failure).".cleaned(of: secrets, limit: 500)
                return hiding + [.end(.failure(BroadcastError(.setupFailed, sentence)))]
            }
            let words = stderrTail.map { ": \($0.cleaned(of: secrets, limit: 300))" } ?? ""
            let isQuiet = ending == .exited(status: 0)
            let what = isQuiet ? "ended without a result" : "has crashed (\(ending.sentence)\(words))"
            return hiding + [.end(.failure(error(what)))]
        }
    }

    private mutating func timePassed(at now: Int64) -> [Action] {
        if isRunning, now >= closingDeadline { return fail("closed its control channel") }
        switch state {
        case .over, .leaving(_, until: nil): return []
        case .leaving(let outcome, let until?):
            guard now >= until else { return [] }
            state = .leaving(outcome, until: nil)
            return [.kill]
        case .working(let until) where now >= until: return fail("did not answer for \(Self.text(limits.answer))")
        case .loggingIn(let until) where now >= until:
            return fail("waited \(Self.text(limits.login)) for the login")
        case .working, .asking, .loggingIn:
            return now >= deadline ? fail("took more than \(Self.text(limits.total))") : []
        }
    }

    private static func text(_ nanoseconds: Int64) -> String {
        let seconds = nanoseconds / 1_000_000_000
        if seconds >= 120 { return "\(seconds / 60) minutes" }
        return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }

    private var hideLogin: [Action] { if case .loggingIn = state { [.hideLogin] } else { [] } }

    private func error(_ what: String) -> BroadcastError {
        BroadcastError(
            .setupFailed, "The setup of \(service.name) \(what); try again, or install the service again.")
    }

    private mutating func leave(_ outcome: Outcome, at now: Int64, saying words: [Action] = []) -> [Action] {
        let hiding = hideLogin
        state = .leaving(outcome, until: now + limits.exit)
        return hiding + words
    }

    /// Kills a program that broke the protocol or its limits.
    private mutating func fail(_ what: String) -> [Action] {
        let hiding = hideLogin
        state = .leaving(.failure(error(what)), until: nil)
        return hiding + [.kill]
    }
}

/// The checked result of a setup program.
struct SetupOutcome: Sendable, Equatable {
    var info: [String: String]
    var broadcastURL: URL?
}

extension CheckedSetupReport {
    /// Whether no message may follow this one.
    fileprivate var isLast: Bool {
        switch self {
        case .finished, .failed: true
        case .ask, .login: false
        }
    }
}

extension String {
    /// The sentence without its full stop, so that a clause can follow.
    fileprivate var sentenceless: String { hasSuffix(".") ? String(dropLast()) : self }
}
