// The course of one app's sheet: what it shows, whether a window shows it, and how it ends. No clock, no socket, no page.
import KineWire

struct SheetStateMachine: Sendable {
    enum Input: Sendable {
        /// The app replaces the content.
        case prompt(SheetPrompt)
        /// A window has connected; a sheet may have several for a moment, as when one is reloaded.
        case windowOpened
        case windowClosed
        /// The person cancels.
        case cancelled
        /// The app has ended the sheet.
        case closed
        /// The app's connection has ended without that.
        case appLost
        case time
    }

    enum Action: Sendable, Equatable {
        /// Shows the new content in all windows.
        case show
        /// Sends the answer to the app.
        case send(SheetAnswer)
        /// The last action: shows the ending, and removes the sheet.
        case end
    }

    /// The raw value is the word in the page.
    enum Ending: String, Sendable {
        case done, cancelled, appLost
    }

    private enum Window: Sendable {
        /// None has opened yet.
        case awaited(until: Int64)
        case open(count: Int)
        /// The last one has closed, or is being reloaded.
        case gone(until: Int64)
    }

    /// Nanoseconds until a link that was not opened ends the sheet: links work no longer.
    static let openingTimeout = StudioSecrets.linkLifetime
    /// Nanoseconds until a window without a connection is one that was closed.
    static let closingTimeout: Int64 = 3_000_000_000

    private(set) var prompt = SheetPrompt.waiting
    /// Grows with each content. An answer names it, so that a late one is refused.
    private(set) var step = 0
    private(set) var ending: Ending?
    /// Whether the next content is answered without the person, if it is a form: its service needs nothing.
    private var skipsForm = false
    private var window: Window

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC; the same below.
    init(at now: Int64) { window = .awaited(until: now + Self.openingTimeout) }

    /// The time at which `time` must be input at the latest; nil: no timer runs.
    var nextDeadline: Int64? {
        switch window {
        case .awaited(let until), .gone(let until): ending == nil ? until : nil
        case .open: nil
        }
    }

    mutating func handle(_ input: Input, at now: Int64) -> [Action] {
        guard ending == nil else { return [] }
        switch input {
        case .prompt(let prompt):
            defer { skipsForm = false }
            if case .form = prompt, skipsForm { return [.send(.values([:]))] }
            show(prompt)
            return [.show]
        case .windowOpened:
            if case .open(let count) = window { window = .open(count: count + 1) } else { window = .open(count: 1) }
            return []
        case .windowClosed:
            guard case .open(let count) = window else { return [] }
            window = count > 1 ? .open(count: count - 1) : .gone(until: now + Self.closingTimeout)
            return []
        case .cancelled: return end(.cancelled, .cancelled)
        case .closed: return end(.done)
        case .appLost: return end(.appLost)
        case .time:
            guard let deadline = nextDeadline, now >= deadline else { return [] }
            if case .awaited = window { return end(.done, .notShown) }
            return end(.cancelled, .windowClosed)
        }
    }

    /// Nil: nothing, or something else, is asked for in that step.
    ///
    /// - Parameters:
    ///   - answer: of a page; valid for the form that is shown.
    ///   - showsForm: whether the person wants to see the form of a service that needs nothing.
    mutating func answer(_ answer: SheetAnswer, step: Int, showsForm: Bool = false) -> [Action]? {
        guard ending == nil, step == self.step else { return nil }
        switch (prompt, answer) {
        case (.choice(let services, _), .service(let id, _)):
            guard let service = services.first(where: { $0.id == id }) else { return nil }
            skipsForm = service.needsNothing == true && !showsForm
        case (.form, .values): break
        case (.recording, .finished): return end(.done, .finished)
        default: return nil
        }
        show(.waiting)
        return [.send(answer), .show]
    }

    private mutating func show(_ prompt: SheetPrompt) {
        self.prompt = prompt
        step += 1
    }

    private mutating func end(_ ending: Ending, _ answer: SheetAnswer? = nil) -> [Action] {
        self.ending = ending
        return (answer.map { [.send($0)] } ?? []) + [.end]
    }
}
