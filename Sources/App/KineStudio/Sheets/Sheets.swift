// The sheets of apps: their connections, which the studio's loop reads, and their windows, which the server's thread
// serves.
import Glibc
import KinePlatform
import KineServices
import KineWire
import Synchronization

/// Any thread may call.
final class Sheets: Sendable {
    typealias Connection = StudioDoor.Visitor

    private struct Sheet {
        let app: SheetApp
        let connection: Connection
        var machine: SheetStateMachine
        var windows: [Int: AsyncStream<String>.Continuation] = [:]
        var lastWindow = 0

        /// The content as a server-sent event.
        var event: String {
            "data: \(String(decoding: StudioJSON.encode(SheetModel(machine, app: app)), as: UTF8.self))\n\n"
        }
    }

    private typealias Windows = [AsyncStream<String>.Continuation]

    private static let most = 8
    /// As for `EventHub`. Nanoseconds.
    private static let quietLimit: Int64 = 25_000_000_000

    private struct State {
        var sheets: [String: Sheet] = [:]
        var nextKeepAlive: Int64 = 0
    }

    private let state = Mutex(State())
    private let changed: @Sendable () -> Void

    /// - Parameter changed: called when a window has changed `pollEntries` or `nextDeadline`.
    init(changed: @escaping @Sendable () -> Void) { self.changed = changed }

    var count: Int { state.withLock { $0.sheets.count } }

    var pollEntries: [pollfd] {
        state.withLock { state in
            state.sheets.values.map {
                pollfd(fd: $0.connection.descriptor.rawValue, events: $0.connection.pollEvents, revents: 0)
            }
        }
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

    /// Adds a sheet under a new id, and owns its connection from then on. False: there are too many.
    ///
    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC; the same below.
    func begin(_ id: String, _ app: SheetApp, _ connection: Connection, at now: Int64) -> Bool {
        state.withLock { state in
            guard state.sheets.count < Self.most else { return false }
            state.sheets[id] = Sheet(app: app.bounded, connection: connection, machine: SheetStateMachine(at: now))
            return true
        }
    }

    /// Reads what apps have sent, and does what is due.
    func process(at now: Int64) {
        let connections = state.withLock { $0.sheets.mapValues(\.connection) }
        for (id, connection) in connections {
            let messages = try? connection.readAvailable()
            for message in messages ?? [] { receive(message, of: id, at: now) }
            if messages == nil || connection.isClosed { handle(.appLost, of: id, at: now) }
            handle(.time, of: id, at: now)
        }
        state.withLock { state in
            guard now >= state.nextKeepAlive else { return }
            state.nextKeepAlive = now + Self.quietLimit
            for window in state.sheets.values.flatMap(\.windows.values) { window.yield(EventHub.comment) }
        }
    }

    func receive(_ message: StudioMessage, of id: String, at now: Int64) {
        switch message {
        case .show(let prompt):
            guard let prompt = prompt.bounded, prompt.hasValidFields else {
                let sentence = "The studio cannot show what the app asks for; use a terminal, or update Kinecast."
                state.withLock { _ = try? $0.sheets[id]?.connection.send(.refused(sentence)) }
                return handle(.closed, of: id, at: now)
            }
            handle(.prompt(prompt), of: id, at: now)
        case .close: handle(.closed, of: id, at: now)
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

    /// Sends the app an answer. False: it is not asked for.
    func answer(_ answer: SheetAnswer, step: Int, of id: String) -> Bool {
        let (isAccepted, ended) = state.withLock { state -> (Bool, Windows) in
            guard let actions = state.sheets[id]?.machine.answer(answer, step: step) else { return (false, []) }
            return (true, Self.perform(actions, id, &state))
        }
        finish(ended)
        changed()
        return isAccepted
    }

    /// Ends the sheet as the person wants.
    func cancel(_ id: String) {
        handle(.cancelled, of: id, at: MonotonicClock.now())
        changed()
    }

    private func handle(_ input: SheetStateMachine.Input, of id: String, at now: Int64) {
        finish(
            state.withLock { state in
                guard let actions = state.sheets[id]?.machine.handle(input, at: now) else { return [] }
                return Self.perform(actions, id, &state)
            })
    }

    /// Returns the windows that have ended.
    private static func perform(_ actions: [SheetStateMachine.Action], _ id: String, _ state: inout State) -> Windows {
        guard let sheet = state.sheets[id] else { return [] }
        for action in actions {
            switch action {
            case .show: for window in sheet.windows.values { window.yield(sheet.event) }
            // The end of a connection is found when it is read.
            case .send(let answer): _ = try? sheet.connection.send(.answer(answer))
            case .end:
                for window in sheet.windows.values { window.yield(sheet.event) }
                state.sheets[id] = nil
                return Array(sheet.windows.values)
            }
        }
        return []
    }

    /// Without the lock, which `disconnect` takes.
    private func finish(_ windows: Windows) { for window in windows { window.finish() } }
}

extension SheetPrompt {
    /// Whether the fields of a form keep the rules of a manifest.
    fileprivate var hasValidFields: Bool {
        guard case .form(let form) = self else { return true }
        return form.fields.allSatisfy { ServiceManifest.SetupField($0) != nil }
    }
}
