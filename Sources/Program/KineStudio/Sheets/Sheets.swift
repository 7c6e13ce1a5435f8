// The sheets of apps, and of setup programs that the studio starts: the apps' connections, which the studio's loop
// reads, and the sheets' windows, which the server's thread serves.
import Glibc
import KineClient
import KinePlatform
import KineServices
import KineText
import KineWire
import Synchronization

/// Any thread may call.
final class Sheets: PollSource, Sendable {
    typealias Connection = StudioDoor.Visitor

    /// Who asks, and gets the answers.
    enum Asker {
        /// By its connection, which the sheet owns from then on.
        case app(Connection)
        /// A setup program that this studio has started. Gets each answer, or why nothing can be shown, on any thread.
        case studio(@Sendable (StudioReply) -> Void)

        var connection: Connection? { if case .app(let connection) = self { connection } else { nil } }
    }

    private struct Sheet {
        let app: SheetApp
        let asker: Asker
        var machine: SheetStateMachine
        var windows: [Int: AsyncStream<String>.Continuation] = [:]
        var lastWindow = 0
        /// Work of the app on its recording.
        var tasks: [Int: PendingTask] = [:]
        var lastTask = 0

        /// The content as a server-sent event.
        var event: String {
            "event: sheet\ndata: \(String(decoding: StudioJSON.encode(SheetModel(machine, app: app)), as: UTF8.self))\n\n"
        }
    }

    private struct PendingTask {
        let outcome = Promise<SheetOutcome>()
        /// Gets the progress from 0 to 1.
        let fraction: @Sendable (Double) -> Void
    }

    /// Each window has a stream of events, and browsers open six connections to a host (shared/places.js).
    private static let most = 4
    private static let sentenceLimit = 1000

    private struct State {
        var sheets: [String: Sheet] = [:]
        var nextKeepAlive: Int64 = 0
        /// For the studio's own sheets, to be called without the lock: a reply leads to the next content.
        var replies: [() -> Void] = []
    }

    private let state = Mutex(State())
    private let changed: @Sendable () -> Void
    private let give: @Sendable (String) -> String
    private let ended: @Sendable (String) -> Void

    /// - Parameters:
    ///   - give: puts the file at that path into the library. Returns its path without symbolic links.
    ///   - ended: gets the id of a sheet that has ended.
    ///   - changed: called when a window has changed `pollEntries` or `nextDeadline`.
    init(
        give: @escaping @Sendable (String) -> String = { $0 },
        ended: @escaping @Sendable (String) -> Void = { _ in },
        changed: @escaping @Sendable () -> Void
    ) {
        (self.give, self.ended, self.changed) = (give, ended, changed)
    }

    var count: Int { state.withLock { $0.sheets.count } }

    var pollEntries: [pollfd] {
        state.withLock { $0.sheets.values.compactMap(\.asker.connection).flatMap(\.pollEntries) }
    }

    /// The next time for `process`.
    var nextDeadline: Int64? {
        state.withLock { state in
            let hasWindows = state.sheets.values.contains { !$0.windows.isEmpty }
            return (state.sheets.values.map(\.machine.nextDeadline) + [hasWindows ? state.nextKeepAlive : nil])
                .compactMap(\.self).min()
        }
    }

    // MARK: The apps

    /// Adds a sheet under a new id. False: there are too many.
    ///
    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC; the same below.
    func begin(_ id: String, _ app: SheetApp, _ asker: Asker, at now: Int64) -> Bool {
        let isAdded = state.withLock { state in
            guard state.sheets.count < Self.most else { return false }
            state.sheets[id] = Sheet(app: app.bounded, asker: asker, machine: SheetStateMachine(at: now))
            return true
        }
        changed()
        return isAdded
    }

    /// Reads what apps have sent, and does what is due.
    func process(at now: Int64) {
        let askers = state.withLock { $0.sheets.mapValues(\.asker) }
        for (id, asker) in askers {
            if let connection = asker.connection {
                let messages = try? connection.readAvailable()
                for message in messages ?? [] { receive(message, of: id, at: now) }
                if messages == nil || connection.isClosed { handle(.appLost, of: id, at: now) }
            }
            handle(.time, of: id, at: now)
        }
        state.withLock { state in
            guard now >= state.nextKeepAlive else { return }
            state.nextKeepAlive = now + EventHub.quietLimit
            for window in state.sheets.values.flatMap(\.windows.values) { window.yield(EventHub.comment) }
        }
    }

    func receive(_ message: StudioMessage, of id: String, at now: Int64) {
        switch message {
        case .show(let prompt):
            guard var prompt = prompt.bounded, prompt.hasValidFields else {
                let sentence = "The studio cannot show what the app asks for; use a terminal, or update Kinecast."
                state.withLock { Self.reply(.refused(sentence), to: $0.sheets[id]?.asker, &$0) }
                return handle(.closed, of: id, at: now)
            }
            if case .recording(var recording) = prompt {
                recording.path = give(recording.path)
                prompt = .recording(recording)
            }
            handle(.prompt(prompt), of: id, at: now)
        case .close: handle(.closed, of: id, at: now)
        case .progress(let task, let fraction): state.withLock { $0.sheets[id]?.tasks[task] }?.fraction(fraction)
        case .performed(let task, let outcome):
            state.withLock { $0.sheets[id]?.tasks.removeValue(forKey: task) }?.outcome.fulfil(outcome)
        // Only a connection without a sheet may send these.
        case .open, .present: break
        }
    }

    // MARK: The windows

    /// Connects a window; nil: there is no such sheet.
    func connect(_ id: String, at now: Int64) -> EventHub.Connection? {
        let (stream, continuation) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingNewest(4))
        let number = state.withLock { state -> Int? in
            guard var sheet = state.sheets[id] else { return nil }
            sheet.lastWindow += 1
            sheet.windows[sheet.lastWindow] = continuation
            _ = sheet.machine.handle(.windowOpened, at: now)
            continuation.yield(sheet.event)
            state.sheets[id] = sheet
            return sheet.lastWindow
        }
        guard let number else { return nil }
        continuation.onTermination = { [weak self] _ in self?.disconnect(number, of: id) }
        changed()
        return EventHub.Connection(stream: stream, end: { continuation.finish() })
    }

    private func disconnect(_ window: Int, of id: String) {
        state.withLock { state in
            guard state.sheets[id]?.windows.removeValue(forKey: window) != nil else { return }
            _ = state.sheets[id]?.machine.handle(.windowClosed, at: MonotonicClock.now())
        }
        changed()
    }

    /// The content that a sheet shows; nil: there is no such sheet.
    func prompt(of id: String) -> SheetPrompt? { state.withLock { $0.sheets[id]?.machine.prompt } }

    /// Lets the app do something with its recording, and waits until it is done.
    ///
    /// - Parameter fraction: gets the progress from 0 to 1.
    func perform(
        _ task: SheetTask, of id: String, _ fraction: @escaping @Sendable (Double) -> Void
    ) async throws(StudioProblem) {
        let pending = PendingTask(fraction: fraction)
        let number = state.withLock { state -> Int? in
            guard let sheet = state.sheets[id] else { return nil }
            let number = sheet.lastTask + 1
            state.sheets[id]?.lastTask = number
            state.sheets[id]?.tasks[number] = pending
            _ = try? sheet.asker.connection?.send(.perform(task: number, task))
            return number
        }
        guard let number else { throw .appIsGone }
        switch await pending.outcome.value() {
        case .done?: return
        case .failed(let sentence)?: throw StudioProblem(.conflict, sentence.printable(limit: Self.sentenceLimit))
        case .cancelled?: throw .cancelled
        case nil:
            state.withLock { state in
                guard state.sheets[id]?.tasks.removeValue(forKey: number) != nil else { return }
                _ = try? state.sheets[id]?.asker.connection?.send(.stop(task: number))
            }
            throw .cancelled
        }
    }

    /// Sends the app an answer, as `SheetStateMachine.answer`. False: it is not asked for.
    func answer(_ answer: SheetAnswer, step: Int, showsForm: Bool = false, of id: String) -> Bool {
        let isAccepted = advance(id) { $0.answer(answer, step: step, showsForm: showsForm) }
        changed()
        return isAccepted
    }

    /// Ends the sheet as the person wants.
    func cancel(_ id: String) {
        handle(.cancelled, of: id, at: MonotonicClock.now())
        changed()
    }

    private func handle(_ input: SheetStateMachine.Input, of id: String, at now: Int64) {
        _ = advance(id) { $0.handle(input, at: now) }
    }

    /// Carries out what the machine answers. False: nothing, or there is no such sheet.
    private func advance(
        _ id: String, _ next: @Sendable (inout SheetStateMachine) -> [SheetStateMachine.Action]?
    ) -> Bool {
        let (isAccepted, ended, replies) = state.withLock { state -> (Bool, Sheet?, [() -> Void]) in
            defer { state.replies = [] }
            guard var machine = state.sheets[id]?.machine, let actions = next(&machine) else {
                return (false, nil, state.replies)
            }
            state.sheets[id]?.machine = machine
            let ended = Self.perform(actions, id, &state)
            return (true, ended, state.replies)
        }
        // Without the lock, which `disconnect` takes.
        if let ended {
            for window in ended.windows.values { window.finish() }
            self.ended(id)
        }
        for reply in replies { reply() }
        return isAccepted
    }

    /// Returns the sheet if it has ended.
    private static func perform(_ actions: [SheetStateMachine.Action], _ id: String, _ state: inout State) -> Sheet? {
        guard let sheet = state.sheets[id] else { return nil }
        for action in actions {
            switch action {
            case .show: for window in sheet.windows.values { window.yield(sheet.event) }
            case .send(let answer): reply(.answer(answer), to: sheet.asker, &state)
            case .end:
                for window in sheet.windows.values { window.yield(sheet.event) }
                state.sheets[id] = nil
                for task in sheet.tasks.values { task.outcome.fulfil(.failed(StudioProblem.appIsGone.message)) }
                return sheet
            }
        }
        return nil
    }

    private static func reply(_ reply: StudioReply, to asker: Asker?, _ state: inout State) {
        switch asker {
        // The end of a connection is found when it is read.
        case .app(let connection): _ = try? connection.send(reply)
        case .studio(let replied): state.replies.append { replied(reply) }
        case nil: break
        }
    }
}

extension SheetPrompt {
    /// Whether the fields of a form keep the rules of a manifest.
    fileprivate var hasValidFields: Bool {
        guard case .form(let form) = self else { return true }
        return form.fields.allSatisfy { ServiceManifest.SetupField($0) != nil }
    }
}
