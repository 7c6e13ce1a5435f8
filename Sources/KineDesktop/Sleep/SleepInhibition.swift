// What the services that keep a machine awake are told.

/// A request to keep the machine awake.
public struct SleepInhibition: Sendable, Equatable {
    /// The program, for a person who looks at what keeps the machine awake.
    public var who: String
    public var why: String
    /// Whether the screen stays on too.
    public var keepsScreenOn: Bool

    public init(who: String, why: String, keepsScreenOn: Bool) {
        self.who = who
        self.why = why
        self.keepsScreenOn = keepsScreenOn
    }
}
