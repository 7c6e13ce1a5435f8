// Decides which keys are shown. Pure: keys, answers about the focus and instants are its input.

/// Shortcuts are shown at once. A typed key is shown only if one and the same object, in which anything may be seen, had the focus before
/// the key and had it still when it was asked twice after it. Between the two answers the program has had the time to handle keys that
/// came before, Tab for example: it may answer before it has. In any doubt the key is forgotten.
struct KeyDisplayStateMachine {
    struct Badge: Equatable {
        let text: String
        /// The instant from which it is shown.
        let since: Int64
    }

    /// Two questions about the focused object.
    private struct Check {
        enum Phase: Equatable {
            case first(question: Int, asked: Int64)
            case settling(until: Int64)
            case second(question: Int, asked: Int64)
        }

        /// The key, which is shown if the object stays the same; nil: none, and the object is trusted from then on.
        let text: String?
        /// Nil: the first answer names it.
        var object: String?
        var phase: Phase
    }

    /// Nanoseconds between the first answer and the second question.
    static let settling: Int64 = 150_000_000
    /// Nanoseconds for an answer. A program that needs longer is busy, and keys wait in it.
    static let patience: Int64 = 250_000_000
    /// Keys that are checked at the same time.
    private static let mostChecks = 32

    private let keys: KeyDisplay.Keys
    private(set) var badge: Badge?
    /// The object that has had the focus since it was checked.
    private var trusted: String?
    private var checks: [Check] = []
    private var lastQuestion = 0
    /// Another program has the keyboard for itself: the focus does not say where keys go.
    private(set) var isGrabbed = false

    init(_ keys: KeyDisplay.Keys) { self.keys = keys }

    /// A key was pressed. Returns the question to ask, if any.
    mutating func press(_ key: KeyStroke, at now: Int64) -> Int? {
        switch (key, keys) {
        case (.shortcut(let text), _):
            // A key that was typed before is not shown after this one.
            checks.removeAll { $0.text != nil }
            badge = Badge(text: text, since: now)
            return nil
        case (.typed, .shortcuts): return nil
        case (.typed(let text), .all):
            guard let trusted, checks.count < Self.mostChecks else { return begin(at: now) }
            return ask(Check(text: text, object: trusted, phase: .settling(until: now)), at: now)
        }
    }

    /// The focus may be elsewhere now. Returns the question to ask, if any.
    mutating func moveFocus(at now: Int64) -> Int? {
        forget()
        return begin(at: now)
    }

    /// A program has taken the keyboard for itself, or has given it back.
    mutating func setGrabbed(_ isGrabbed: Bool, at now: Int64) -> Int? {
        self.isGrabbed = isGrabbed
        return moveFocus(at: now)
    }

    /// The focused object, if it may be seen what is typed there, as the answer to a question.
    mutating func answer(_ question: Int, _ object: String?, at now: Int64) {
        for index in checks.indices {
            switch checks[index].phase {
            case .first(question, let asked):
                guard let object, now - asked <= Self.patience, checks[index].object ?? object == object else {
                    return forget()
                }
                checks[index].object = object
                checks[index].phase = .settling(until: now + Self.settling)
                return
            case .second(question, let asked):
                guard let object, now - asked <= Self.patience, checks[index].object == object else { return forget() }
                if let text = checks[index].text { badge = Badge(text: text, since: now) } else { trusted = object }
                checks.remove(at: index)
                return
            default: break
            }
        }
    }

    /// CLOCK_MONOTONIC is at `now`. Returns the questions to ask.
    mutating func advance(to now: Int64) -> [Int] {
        var questions: [Int] = []
        for index in checks.indices {
            switch checks[index].phase {
            case .settling(let until) where until <= now:
                lastQuestion += 1
                checks[index].phase = .second(question: lastQuestion, asked: now)
                questions.append(lastQuestion)
            case .first(_, let asked), .second(_, let asked):
                guard now - asked > Self.patience else { continue }
                forget()
                return []
            case .settling: break
            }
        }
        return questions
    }

    /// The next instant at which `advance` has something to do; nil: none.
    var deadline: Int64? {
        checks.map { check in
            switch check.phase {
            case .first(_, let asked), .second(_, let asked): asked + Self.patience + 1
            case .settling(let until): until
            }
        }.min()
    }

    private mutating func forget() {
        trusted = nil
        checks = []
    }

    /// Finds out whether the focused object may be trusted, if that is not being done.
    private mutating func begin(at now: Int64) -> Int? {
        guard keys == .all, !isGrabbed, checks.isEmpty else { return nil }
        return ask(Check(text: nil, object: nil, phase: .settling(until: now)), at: now)
    }

    private mutating func ask(_ check: Check, at now: Int64) -> Int {
        lastQuestion += 1
        var check = check
        check.phase = .first(question: lastQuestion, asked: now)
        checks.append(check)
        return lastQuestion
    }
}
