// Decides whether an app may capture, and how to ask the person. No bus, no file, no clock.
import KineDesktop
import KineMedia
import KineText
import KineWire

/// One question whether an app may capture something. The host carries out the actions, in order.
///
/// An earlier decision counts. Otherwise the person is asked on the desktop, or else in the app's terminal, and in the
/// studio's windows while some are open; the first answer counts. Without any of these, the app is refused. Allow and
/// Deny are kept; a closed or expired question is asked again later.
struct PermissionStateMachine: Sendable {
    enum Refusal: Sendable, Equatable {
        case declinedBefore
        case declined
        case notAnswered
        case nobodyToAsk
    }

    enum Event: Sendable, Equatable {
        /// The person's earlier decisions. `missing`: not decided. `hasStudio`: a studio runs, and may have windows.
        case known(declined: Set<PermissionKind>, missing: Set<PermissionKind>, hasStudio: Bool = false)
        /// The desktop shows the question, or cannot show it.
        case shownOnDesktop
        case notOnDesktop
        /// The app's terminal is not available after all.
        case notInTerminal
        case answeredOnDesktop(isAllowed: Bool)
        /// The app reports the person's answer in its terminal.
        case answeredInTerminal(isAllowed: Bool)
        /// The desktop's question was closed without an answer.
        case closed
        /// The studio has windows, which show the question, or has none any more.
        case windows(isOpen: Bool)
        /// Nil: the question was closed in a window without an answer.
        case answeredInWindow(isAllowed: Bool?)
        /// The answer was written, or could not be.
        case kept
        /// The current time, nanoseconds of CLOCK_MONOTONIC.
        case time(Int64)
    }

    enum Action: Sendable, Equatable {
        case askOnDesktop(Set<PermissionKind>)
        case withdrawFromDesktop
        case askInTerminal(Set<PermissionKind>)
        case withdrawFromTerminal
        /// Answered by `kept`.
        case keep(AppPermissions.Decision, Set<PermissionKind>)
        case allow
        /// The kinds that were declined or not decided.
        case refuse(Refusal, Set<PermissionKind>)
    }

    /// The place of an open question beside the studio's windows.
    private enum Place {
        /// The desktop has not shown it yet.
        case findingDesktop
        case desktop
        case terminal
        /// The studio's windows alone, also while they are being reloaded.
        case windows
    }

    private enum State: Equatable {
        case waiting
        case asking(Set<PermissionKind>, in: Place, until: Int64)
        /// Waits until the answer is written.
        case keeping(isAllowed: Bool, Set<PermissionKind>)
        case over
    }

    /// Nanoseconds for the desktop to show the question.
    static let desktopTimeout: Int64 = 10_000_000_000
    /// Nanoseconds for a person to answer.
    static let personTimeout: Int64 = 60_000_000_000
    /// Nanoseconds without a window until there is none: one may open, or be reloaded.
    static let windowTimeout: Int64 = 3_000_000_000

    private var hasDesktop: Bool
    private var hasTerminal: Bool
    private(set) var hasWindows: Bool
    private var awaitsWindows = false
    private var state = State.waiting

    init(hasDesktop: Bool, hasTerminal: Bool, hasWindows: Bool = false) {
        (self.hasDesktop, self.hasTerminal, self.hasWindows) = (hasDesktop, hasTerminal, hasWindows)
    }

    /// The latest instant for `time`, if any.
    var deadline: Int64? { if case .asking(_, _, let until) = state { until } else { nil } }

    /// The kinds of the open question, which the studio's windows show; nil: no question is open.
    var openKinds: Set<PermissionKind>? { if case .asking(let kinds, _, _) = state { kinds } else { nil } }

    mutating func handle(_ event: Event, at now: Int64) -> [Action] {
        if case .windows(let isOpen) = event { return setWindows(isOpen, at: now) }
        switch (state, event) {
        case (.waiting, .known(let declined, let missing, let hasStudio)):
            if !declined.isEmpty { return finish(.refuse(.declinedBefore, declined)) }
            if missing.isEmpty { return finish(.allow) }
            awaitsWindows = hasStudio
            return ask(missing, at: now)
        case (.asking(let kinds, let place, let until), _): return handle(event, kinds, place, until, at: now)
        case (.keeping(let isAllowed, let kinds), .kept):
            return finish(isAllowed ? .allow : .refuse(.declined, kinds))
        default: return []
        }
    }

    private mutating func handle(
        _ event: Event, _ kinds: Set<PermissionKind>, _ place: Place, _ until: Int64, at now: Int64
    ) -> [Action] {
        switch (place, event) {
        case (.findingDesktop, .shownOnDesktop):
            state = .asking(kinds, in: .desktop, until: now + Self.personTimeout)
            return []
        case (.findingDesktop, .notOnDesktop), (.desktop, .notOnDesktop): return leaveDesktop(kinds, at: now)
        case (.findingDesktop, .time(let time)) where time >= until: return leaveDesktop(kinds, at: now)
        case (.findingDesktop, .closed), (.desktop, .closed):
            // A person who closes the notification may answer in the window that shows the same.
            guard hasWindows else { return end(.notAnswered, kinds, place) }
            state = .asking(kinds, in: .windows, until: now + Self.personTimeout)
            return [.withdrawFromDesktop]
        case (.findingDesktop, .answeredOnDesktop(let isAllowed)), (.desktop, .answeredOnDesktop(let isAllowed)):
            return [.withdrawFromDesktop] + keep(isAllowed, kinds)
        case (.terminal, .answeredInTerminal(let isAllowed)): return keep(isAllowed, kinds)
        case (.terminal, .notInTerminal):
            hasTerminal = false
            return ask(kinds, at: now)
        case (_, .answeredInWindow(let isAllowed)) where hasWindows:
            guard let isAllowed else { return end(.notAnswered, kinds, place) }
            return withdrawal(from: place) + keep(isAllowed, kinds)
        case (.windows, .time(let time)) where time >= until && !hasWindows: return ask(kinds, at: now)
        case (_, .time(let time)) where time >= until: return end(.notAnswered, kinds, place)
        default: return []
        }
    }

    private mutating func setWindows(_ isOpen: Bool, at now: Int64) -> [Action] {
        hasWindows = isOpen
        if isOpen { awaitsWindows = false }
        guard case .asking(let kinds, let place, _) = state else { return [] }
        switch place {
        case .findingDesktop: break
        case .terminal where isOpen:
            state = .asking(kinds, in: .windows, until: now + Self.personTimeout)
            return [.withdrawFromTerminal]
        case .windows where !isOpen: state = .asking(kinds, in: place, until: now + Self.windowTimeout)
        case .desktop, .terminal, .windows:
            if isOpen { state = .asking(kinds, in: place, until: now + Self.personTimeout) }
        }
        return []
    }

    /// The take is over before an answer.
    mutating func abandon() -> [Action] {
        defer { state = .over }
        if case .asking(_, let place, _) = state { return withdrawal(from: place) }
        return []
    }

    private mutating func leaveDesktop(_ kinds: Set<PermissionKind>, at now: Int64) -> [Action] {
        hasDesktop = false
        return [.withdrawFromDesktop] + ask(kinds, at: now)
    }

    private mutating func ask(_ kinds: Set<PermissionKind>, at now: Int64) -> [Action] {
        if hasDesktop {
            state = .asking(kinds, in: .findingDesktop, until: now + Self.desktopTimeout)
            return [.askOnDesktop(kinds)]
        }
        // The app itself reports the terminal's answer, so the answer does not count where a window can ask.
        if hasTerminal, !hasWindows, !awaitsWindows {
            state = .asking(kinds, in: .terminal, until: now + Self.personTimeout)
            return [.askInTerminal(kinds)]
        }
        guard hasWindows || awaitsWindows else { return finish(.refuse(.nobodyToAsk, kinds)) }
        state = .asking(kinds, in: .windows, until: now + (hasWindows ? Self.personTimeout : Self.windowTimeout))
        awaitsWindows = false
        return []
    }

    private func withdrawal(from place: Place) -> [Action] {
        switch place {
        case .findingDesktop, .desktop: [.withdrawFromDesktop]
        case .terminal: [.withdrawFromTerminal]
        case .windows: []
        }
    }

    private mutating func keep(_ isAllowed: Bool, _ kinds: Set<PermissionKind>) -> [Action] {
        state = .keeping(isAllowed: isAllowed, kinds)
        return [.keep(isAllowed ? .granted : .declined, kinds)]
    }

    private mutating func end(_ refusal: Refusal, _ kinds: Set<PermissionKind>, _ place: Place) -> [Action] {
        withdrawal(from: place) + finish(.refuse(refusal, kinds))
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

    func inquiry(_ number: Int) -> PermissionInquiry {
        let shown = PermissionSubject(
            identifier: subject.identifier.printable(limit: 200), executable: subject.executable.printable(limit: 200))
        return PermissionInquiry(
            number: number, name: name, subject: shown, kinds: PermissionKind.allCases.filter(kinds.contains))
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
