// Keeps the machine awake by logind's Inhibit (org.freedesktop.login1(5)), or by org.freedesktop.ScreenSaver.

/// One inhibition. Asks each service once, the best one first; if all refuse, the machine may sleep. Used on one thread.
final class SleepInhibitor {
    /// Ends what a service has granted.
    typealias Release = () -> Void
    /// Asks a service, which answers once: with nil if it refuses.
    typealias Service = (SleepInhibition, _ answer: @escaping (Release?) -> Void) -> Void

    private enum State {
        case idle
        case requesting
        case held(SleepInhibition, Release)
        case refused(SleepInhibition)
    }

    private let services: [Service]
    private var wanted: SleepInhibition?
    private var state = State.idle

    init(_ services: [Service]) { self.services = services }

    convenience init(session: BusConnection?, system: BusConnection?) {
        let services: [Service?] = [
            system.map { SleepInhibitor.logind($0) }, session.map { SleepInhibitor.screenSaver($0) },
        ]
        self.init(services.compactMap { $0 })
    }

    /// No request is outstanding: one granted after the end would never be released.
    var isAtRest: Bool { if case .requesting = state { false } else { true } }

    func want(_ inhibition: SleepInhibition?) {
        wanted = inhibition
        proceed()
    }

    private func proceed() {
        switch state {
        case .requesting: return
        case .held(let inhibition, _) where inhibition == wanted: return
        case .refused(let inhibition) where inhibition == wanted: return
        case .held(_, let release): release()
        case .idle, .refused: break
        }
        state = .idle
        if let wanted { ask(services[...], for: wanted) }
    }

    private func ask(_ services: ArraySlice<Service>, for inhibition: SleepInhibition) {
        guard let service = services.first else { return state = .refused(inhibition) }
        state = .requesting
        service(inhibition) { [weak self] release in
            guard let self else { return }
            if let release {
                state = .held(inhibition, release)
            } else if inhibition == wanted {
                return ask(services.dropFirst(), for: inhibition)
            } else {
                state = .idle
            }
            proceed()
        }
    }

    private static func logind(_ bus: BusConnection) -> Service {
        { inhibition, answer in
            let call = Logind.manager(
                "Inhibit",
                [
                    .string(inhibition.keepsScreenOn ? "sleep:idle" : "sleep"), .string(inhibition.who),
                    .string(inhibition.why), .string("block"),
                ])
            bus.call(call) { result in
                guard let descriptor = (try? result.get())?.first?.asDescriptor else { return answer(nil) }
                // In force until the descriptor is closed, with the last reference to it.
                answer({ _ = descriptor })
            }
        }
    }

    private static func screenSaver(_ bus: BusConnection) -> Service {
        { inhibition, answer in
            let call = ScreenSaver.freedesktop.method("Inhibit", [.string(inhibition.who), .string(inhibition.why)])
            bus.call(call) { result in
                guard let cookie = (try? result.get())?.first?.asUInt32 else { return answer(nil) }
                answer({ bus.call(ScreenSaver.freedesktop.method("UnInhibit", [.uint32(cookie)])) { _ in } })
            }
        }
    }
}

/// A request to keep the machine awake.
public struct SleepInhibition: Sendable, Equatable {
    /// The program's name, for a person who looks up what keeps the machine awake.
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
