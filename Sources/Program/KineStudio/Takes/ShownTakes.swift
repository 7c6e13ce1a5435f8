// The takes and apps' questions as pages show them, and whether another recording may begin. Pure.
import KineTakes

struct ShownTakes: Sendable {
    private(set) var takes: [TakeSnapshot] = []
    private var questions: [TakeQuestion] = []
    /// Whether a recording was asked for whose take is not there yet.
    private(set) var isStarting = false

    /// Replaces the takes. Returns whether they have changed.
    mutating func update(_ takes: [TakeSnapshot]) -> Bool {
        defer { self.takes = takes }
        return self.takes != takes
    }

    /// Replaces the questions. Returns whether they have changed.
    mutating func update(_ questions: [TakeQuestion]) -> Bool {
        defer { self.questions = questions }
        return self.questions != questions
    }

    /// Whether a take can still be ended.
    var isAnyOpen: Bool { takes.contains(where: \.isOpen) }

    /// Whether the take with that id is there and can still be ended.
    func isOpen(_ take: String) -> Bool { takes.contains { $0.id == take && $0.isOpen } }

    /// Begins the start of a recording. Returns false if there is a start that has not ended.
    mutating func beginStart() -> Bool {
        defer { isStarting = true }
        return !isStarting
    }

    /// The recording has begun, or has failed.
    mutating func endStart() { isStarting = false }
}
