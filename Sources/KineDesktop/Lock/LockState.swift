// Whether the screen is locked, out of what several services say. No bus.

/// What is known of the lock.
struct LockState: Sendable {
    /// A service that knows.
    enum Witness: Sendable, CaseIterable {
        case logind
        case freedesktop
        case gnome
    }

    enum News: Equatable {
        case locked(Bool)
        /// The last service that said the screen is locked has gone. It counts as locked until any service says something.
        case lost
    }

    /// What each has said last.
    private var words: [Witness: Bool] = [:]
    private var told: Bool?
    private var isLost = false

    /// A service says whether the screen is locked. It is locked where one of them says so, and it is not as soon as all have spoken.
    mutating func hear(_ witness: Witness, isLocked: Bool) -> News? {
        words[witness] = isLocked
        defer { isLost = false }
        return news(isRepeated: isLost)
    }

    /// These services are not there, or not any more.
    mutating func miss(_ witnesses: [Witness]) -> News? {
        for witness in witnesses { words[witness] = false }
        guard told == true else { return news(isRepeated: false) }
        guard !isLost, !words.values.contains(true) else { return nil }
        isLost = true
        return .lost
    }

    private mutating func news(isRepeated: Bool) -> News? {
        let isLocked = words.values.contains(true)
        guard isLocked || told != nil || words.count == Witness.allCases.count, isRepeated || isLocked != told
        else { return nil }
        told = isLocked
        return .locked(isLocked)
    }
}
