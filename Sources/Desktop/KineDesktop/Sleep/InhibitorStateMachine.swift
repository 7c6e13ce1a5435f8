// Decides which service to ask to keep the machine awake, and when. No bus: `SleepInhibitor` carries out the actions.

/// The states of one inhibition. Asks each service once; if all refuse, the machine may sleep.
struct InhibitorStateMachine: Sendable {
    /// A service that can be asked, the best one first.
    enum Route: Sendable, Equatable, CaseIterable {
        /// `org.freedesktop.login1`: in force while a descriptor is open.
        case logind
        /// `org.freedesktop.ScreenSaver`: in force until it is released by its number, or the connection ends.
        case screenSaver
    }

    enum Input: Sendable, Equatable {
        case want(SleepInhibition?)
        case granted(Route)
        case refused(Route)
    }

    enum Action: Sendable, Equatable {
        /// Answered with `granted` or `refused`.
        case request(Route, SleepInhibition)
        case release(Route)
    }

    private enum State: Equatable {
        case idle
        case requesting(Route, SleepInhibition)
        case held(Route, SleepInhibition)
        case refused(SleepInhibition)
    }

    private let routes: [Route]
    private var wanted: SleepInhibition?
    private var state = State.idle

    init(routes: [Route]) { self.routes = routes }

    /// No request is outstanding: one granted after the end would never be released.
    var isAtRest: Bool { if case .requesting = state { false } else { true } }

    mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .want(let inhibition): wanted = inhibition
        case .granted(let route):
            guard case .requesting(route, let inhibition) = state else { return [] }
            state = .held(route, inhibition)
        case .refused(let route):
            guard case .requesting(route, let inhibition) = state else { return [] }
            if wanted == inhibition, let next = routes.drop(while: { $0 != route }).dropFirst().first {
                return request(next, inhibition)
            }
            state = wanted == inhibition ? .refused(inhibition) : .idle
        }
        return proceed()
    }

    private mutating func proceed() -> [Action] {
        switch (state, wanted) {
        case (.requesting, _), (.idle, nil): return []
        case (.held(_, let inhibition), let wanted?) where inhibition == wanted: return []
        case (.refused(let inhibition), let wanted?) where inhibition == wanted: return []
        case (.held(let route, _), let wanted):
            state = .idle
            return [.release(route)] + begin(wanted)
        case (.idle, let wanted), (.refused, let wanted):
            state = .idle
            return begin(wanted)
        }
    }

    private mutating func begin(_ inhibition: SleepInhibition?) -> [Action] {
        guard let inhibition, let first = routes.first else { return [] }
        return request(first, inhibition)
    }

    private mutating func request(_ route: Route, _ inhibition: SleepInhibition) -> [Action] {
        state = .requesting(route, inhibition)
        return [.request(route, inhibition)]
    }
}
