// Whether the screen is locked, out of what several services say. No bus.

/// What is known of the lock.
struct LockState: Sendable {
    /// A service that knows.
    enum Witness: Sendable, CaseIterable {
        case logind
        case freedesktop
        case gnome
    }

    /// What each has said last.
    private var words: [Witness: Bool] = [:]
    private var told: Bool?

    /// Returns what is to be told: whether the screen is locked. It is locked where one of them says so, and it is not as soon as
    /// all have spoken. A service that is not there says that it is not.
    mutating func hear(_ witness: Witness, isLocked: Bool) -> Bool? {
        words[witness] = isLocked
        let isLocked = words.values.contains(true)
        guard isLocked || told != nil || words.count == Witness.allCases.count, isLocked != told else { return nil }
        told = isLocked
        return isLocked
    }

    /// These services have gone. Returns true where the screen was locked by their word alone: no other service can say then that it
    /// is unlocked.
    mutating func lose(_ witnesses: [Witness]) -> Bool {
        for witness in witnesses { words[witness] = false }
        guard told == true, !words.values.contains(true) else { return false }
        told = false
        return true
    }
}
