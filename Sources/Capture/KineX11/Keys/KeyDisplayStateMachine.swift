// Decides which keys are shown. Pure: its inputs are keys, answers about the focus, and instants.
import KineMedia

/// Shortcuts are shown at once. A typed key is shown only if the same object, whose text may be visible, had the focus
/// before the key and in both of two answers after it. Between the answers the program has time to handle earlier keys,
/// Tab for example, since it may answer before that. In doubt the key is not shown.
struct KeyDisplayStateMachine {
    struct Badge: Equatable {
        let text: String
        /// The time at which it appears.
        let since: Int64
    }

    /// Two questions about the focused object.
    private struct Check {
        enum Phase: Equatable {
            case first(question: Int, asked: Int64)
            case settling(until: Int64)
            case second(question: Int, asked: Int64)
        }

        /// The key to show if the object stays the same; nil: no key, but the object is trusted afterwards.
        let text: String?
        /// Nil: the first answer names it.
        var object: String?
        var phase: Phase
    }

    /// Nanoseconds between the first answer and the second question.
    static let settling: Int64 = 150_000_000
    /// Nanoseconds for an answer. A slower program is busy, with keys waiting in it.
    static let timeout: Int64 = 250_000_000
    private static let mostChecks = 32

    private let keys: TakeConfiguration.ShownKeys
    private(set) var badge: Badge?
    /// The object that has had the focus since its check.
    private var trusted: String?
    private var checks: [Check] = []
    private var lastQuestion = 0
    /// Another program has grabbed the keyboard: the focus does not determine where keys go.
    private(set) var isGrabbed = false

    init(_ keys: TakeConfiguration.ShownKeys) { self.keys = keys }

    /// Handles a pressed key. Returns the question to ask, if any.
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

    /// The focus may have moved. Returns the question to ask, if any.
    mutating func moveFocus(at now: Int64) -> Int? {
        forget()
        return begin(at: now)
    }

    /// A program has grabbed the keyboard or released it.
    mutating func setGrabbed(_ isGrabbed: Bool, at now: Int64) -> Int? {
        self.isGrabbed = isGrabbed
        return moveFocus(at: now)
    }

    /// Handles the answer to a question: the focused object if its typed text may be visible.
    mutating func answer(_ question: Int, _ object: String?, at now: Int64) {
        for index in checks.indices {
            switch checks[index].phase {
            case .first(question, let asked):
                guard let object, now - asked <= Self.timeout, checks[index].object ?? object == object else {
                    return forget()
                }
                checks[index].object = object
                checks[index].phase = .settling(until: now + Self.settling)
                return
            case .second(question, let asked):
                guard let object, now - asked <= Self.timeout, checks[index].object == object else { return forget() }
                if let text = checks[index].text { badge = Badge(text: text, since: now) } else { trusted = object }
                checks.remove(at: index)
                return
            default: break
            }
        }
    }

    /// Advances to `now`. Returns the questions to ask.
    mutating func advance(to now: Int64) -> [Int] {
        var questions: [Int] = []
        for index in checks.indices {
            switch checks[index].phase {
            case .settling(let until) where until <= now:
                lastQuestion += 1
                checks[index].phase = .second(question: lastQuestion, asked: now)
                questions.append(lastQuestion)
            case .first(_, let asked), .second(_, let asked):
                guard now - asked > Self.timeout else { continue }
                forget()
                return []
            case .settling: break
            }
        }
        return questions
    }

    /// The next instant for `advance`, if any.
    var deadline: Int64? {
        checks.map { check in
            switch check.phase {
            case .first(_, let asked), .second(_, let asked): asked + Self.timeout + 1
            case .settling(let until): until
            }
        }.min()
    }

    private mutating func forget() {
        trusted = nil
        checks = []
    }

    /// Starts to check the focused object, unless that is in progress.
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
