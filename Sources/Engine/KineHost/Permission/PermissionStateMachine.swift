// Decides whether an app may capture, and how to ask the person. No bus, no file, no clock.
import KineDesktop
import KineMedia
import KinePlatform
import KineWire

/// One question whether an app may capture something. The host carries out the actions, in order.
///
/// An earlier decision counts. Otherwise the person is asked on the desktop, or else in the app's terminal. Without
/// both, the app is refused. Allow and Deny are kept; a closed or expired question is asked again later.
struct PermissionStateMachine: Sendable {
    enum Refusal: Sendable, Equatable {
        case declinedBefore
        case declined
        case notAnswered
        case nobodyToAsk
    }

    enum Event: Sendable, Equatable {
        /// The person's earlier decisions. `missing`: not decided.
        case known(declined: Set<PermissionKind>, missing: Set<PermissionKind>)
        /// The desktop shows the question, or cannot show it.
        case shownOnDesktop
        case notOnDesktop
        /// The app's terminal is not available after all.
        case notInTerminal
        case answeredOnDesktop(isAllowed: Bool)
        /// The app reports the person's answer in its terminal.
        case answeredInTerminal(isAllowed: Bool)
        /// The question was closed without an answer.
        case closed
        /// The answer was written, or could not be.
        case kept
        /// The current time, nanoseconds of CLOCK_MONOTONIC.
        case time(Int64)
    }

    enum Action: Sendable, Equatable {
        case askOnDesktop(Set<PermissionKind>)
        case withdrawFromDesktop
        case askInTerminal(Set<PermissionKind>)
        /// Answered by `kept`.
        case keep(AppPermissions.Decision, Set<PermissionKind>)
        case allow
        /// The kinds that were declined or not decided.
        case refuse(Refusal, Set<PermissionKind>)
    }

    private enum State: Equatable {
        case waiting
        /// Waits until the desktop shows the question.
        case findingDesktop(Set<PermissionKind>, until: Int64)
        case onDesktop(Set<PermissionKind>, until: Int64)
        case inTerminal(Set<PermissionKind>, until: Int64)
        case keeping(isAllowed: Bool, Set<PermissionKind>)
        case over
    }

    /// Nanoseconds for a desktop to show the question.
    static let desktopTimeout: Int64 = 10_000_000_000
    /// Nanoseconds for a person to answer.
    static let personTimeout: Int64 = 60_000_000_000

    private let hasDesktop: Bool
    private let hasTerminal: Bool
    private var state = State.waiting

    init(hasDesktop: Bool, hasTerminal: Bool) {
        self.hasDesktop = hasDesktop
        self.hasTerminal = hasTerminal
    }

    /// The latest instant for `time`, if any.
    var deadline: Int64? {
        switch state {
        case .findingDesktop(_, let instant), .onDesktop(_, let instant), .inTerminal(_, let instant): instant
        case .waiting, .keeping, .over: nil
        }
    }

    mutating func handle(_ event: Event, at now: Int64) -> [Action] {
        switch (state, event) {
        case (.waiting, .known(let declined, let missing)):
            if !declined.isEmpty { return finish(.refuse(.declinedBefore, declined)) }
            if missing.isEmpty { return finish(.allow) }
            guard hasDesktop else { return askInTerminal(missing, at: now) }
            state = .findingDesktop(missing, until: now + Self.desktopTimeout)
            return [.askOnDesktop(missing)]
        case (.findingDesktop(let kinds, _), .shownOnDesktop):
            state = .onDesktop(kinds, until: now + Self.personTimeout)
            return []
        case (.findingDesktop(let kinds, _), .notOnDesktop), (.onDesktop(let kinds, _), .notOnDesktop):
            return [.withdrawFromDesktop] + askInTerminal(kinds, at: now)
        case (.findingDesktop(let kinds, let instant), .time(let time)) where time >= instant:
            return [.withdrawFromDesktop] + askInTerminal(kinds, at: now)
        case (.findingDesktop(let kinds, _), .answeredOnDesktop(let isAllowed)),
            (.onDesktop(let kinds, _), .answeredOnDesktop(let isAllowed)):
            return [.withdrawFromDesktop] + keep(isAllowed, kinds)
        case (.onDesktop(let kinds, let instant), .time(let time)) where time >= instant:
            return [.withdrawFromDesktop] + finish(.refuse(.notAnswered, kinds))
        case (.findingDesktop(let kinds, _), .closed), (.onDesktop(let kinds, _), .closed):
            return [.withdrawFromDesktop] + finish(.refuse(.notAnswered, kinds))
        case (.inTerminal(let kinds, _), .answeredInTerminal(let isAllowed)): return keep(isAllowed, kinds)
        case (.inTerminal(let kinds, let instant), .time(let time)) where time >= instant:
            return finish(.refuse(.notAnswered, kinds))
        case (.inTerminal(let kinds, _), .closed): return finish(.refuse(.notAnswered, kinds))
        case (.inTerminal(let kinds, _), .notInTerminal): return finish(.refuse(.nobodyToAsk, kinds))
        case (.keeping(let isAllowed, let kinds), .kept):
            return finish(isAllowed ? .allow : .refuse(.declined, kinds))
        default: return []
        }
    }

    /// The take is over before an answer.
    mutating func abandon() -> [Action] {
        defer { state = .over }
        switch state {
        case .findingDesktop, .onDesktop: return [.withdrawFromDesktop]
        case .waiting, .inTerminal, .keeping, .over: return []
        }
    }

    private mutating func askInTerminal(_ kinds: Set<PermissionKind>, at now: Int64) -> [Action] {
        guard hasTerminal else { return finish(.refuse(.nobodyToAsk, kinds)) }
        state = .inTerminal(kinds, until: now + Self.personTimeout)
        return [.askInTerminal(kinds)]
    }

    private mutating func keep(_ isAllowed: Bool, _ kinds: Set<PermissionKind>) -> [Action] {
        state = .keeping(isAllowed: isAllowed, kinds)
        return [.keep(isAllowed ? .granted : .declined, kinds)]
    }

    private mutating func finish(_ action: Action) -> [Action] {
        state = .over
        return [action]
    }
}

struct PermissionQuestion {
    static let allow = Notification.Action(key: "allow", title: "Allow")
    static let decline = Notification.Action(key: "decline", title: "Deny")

    let app: AppIdentity?
    let subject: PermissionSubject
    let kinds: Set<PermissionKind>

    private var name: String { (app?.name ?? subject.identifier).printable(limit: 60) }

    /// Without a question mark, for the terminal and the desktop.
    private var request: String { "\(name) asks to record \(PermissionKind.words(kinds))" }

    var notification: Notification {
        Notification(
            sender: "Kinecast", icon: app?.icon ?? "media-record", desktopEntry: app?.desktopFile, title: "\(request).",
            text: "The program is \(subject.executable.printable(limit: 200)). "
                + "Your answer is kept; kinecast permissions takes it back.",
            actions: [Self.allow, Self.decline], urgency: .critical, isResident: false)
    }

    var sentence: String { "\(request) (\(subject.executable.printable(limit: 200))). Allow it, from now on?" }
}

extension PermissionKind {
    /// The command with which a person grants exactly these kinds.
    static func grantCommand(_ kinds: Set<PermissionKind>, to executable: String, identifier: String? = nil) -> String {
        let id = identifier.map { ["--id", $0.printable(limit: 200).shellWord] } ?? []
        let flags = allCases.filter(kinds.contains).map { "--\($0.rawValue)" }
        let program = executable.printable(limit: 400).shellWord
        return (["kinecast permissions grant", program] + id + flags).joined(separator: " ")
    }
}

extension PermissionStateMachine.Refusal {
    /// One sentence: what happened, to which app, and what to do. `kinds`: declined or not decided.
    func sentence(_ kinds: Set<PermissionKind>, _ subject: PermissionSubject) -> String {
        let words = PermissionKind.words(kinds)
        let command = PermissionKind.grantCommand(kinds, to: subject.executable, identifier: subject.identifier)
        switch self {
        case .declinedBefore:
            return "The person at this machine does not allow \(subject.identifier.printable(limit: 200)) to record "
                + "\(words); they can change that with \(command)."
        case .declined: return "The person at the screen did not allow it to record \(words); nothing was recorded."
        case .notAnswered:
            return "Nobody has answered whether it may record \(words); start it again and answer, or run \(command)."
        case .nobodyToAsk:
            return "Nobody can be asked here whether it may record \(words); run \(command) beforehand."
        }
    }
}
