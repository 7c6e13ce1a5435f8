// Keeps the machine awake and its screen on: by logind's Inhibit (org.freedesktop.login1(5)), by org.freedesktop.ScreenSaver, and by
// org.gnome.SessionManager; where none of them grants it, by the portal.

/// One inhibition by every service that grants it, since each has programs of its own that ask it: what blanks and locks the screen may
/// follow any of them. Used on one thread.
final class SleepInhibitor {
    /// Ends what a service has granted.
    typealias Release = () -> Void
    /// Asks a service, which answers once: with nil if it refuses.
    typealias Service = (SleepInhibition, _ answer: @escaping (Release?) -> Void) -> Void

    private let holds: [Hold]
    /// Asked where all others refuse.
    private let lastResort: Hold?
    private var wanted: SleepInhibition?

    init(_ services: [Service], lastResort: Service? = nil) {
        holds = services.map { Hold($0) }
        self.lastResort = lastResort.map { Hold($0) }
        for hold in holds { hold.onAnswer = { [weak self] in self?.proceed() } }
    }

    convenience init(session: BusConnection?, system: BusConnection?) {
        var services: [Service] = []
        if let system { services.append(Self.logind(system)) }
        if let session { services += [Self.screenSaver(session), Self.sessionManager(session)] }
        let portal: Service = InhibitPortal.service
        self.init(services, lastResort: session == nil ? nil : portal)
    }

    /// No request is outstanding: one granted after the end would never be released.
    var isAtRest: Bool { holds.allSatisfy(\.isAtRest) }

    func want(_ inhibition: SleepInhibition?) {
        wanted = inhibition
        for hold in holds { hold.want(inhibition) }
        proceed()
    }

    private func proceed() { lastResort?.want(holds.allSatisfy { $0.hasRefused(wanted) } ? wanted : nil) }

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
            guard inhibition.keepsScreenOn else { return answer(nil) }
            let call = ScreenSaver.freedesktop.method("Inhibit", [.string(inhibition.who), .string(inhibition.why)])
            bus.call(call) { result in
                guard let cookie = (try? result.get())?.first?.asUInt32 else { return answer(nil) }
                answer({ bus.call(ScreenSaver.freedesktop.method("UnInhibit", [.uint32(cookie)])) { _ in } })
            }
        }
    }

    /// GNOME's, which MATE and others have too: gnome-session's documentation of org.gnome.SessionManager.
    private static func sessionManager(_ bus: BusConnection) -> Service {
        func method(_ member: String, _ arguments: [BusValue]) -> BusCall {
            let name = "org.gnome.SessionManager"
            var call = BusCall(name, path: "/org/gnome/SessionManager", interface: name, member, arguments)
            call.startsService = false
            return call
        }
        let idle: UInt32 = 8
        return { inhibition, answer in
            guard inhibition.keepsScreenOn else { return answer(nil) }
            let call = method(
                "Inhibit", [.string(inhibition.who), .uint32(0), .string(inhibition.why), .uint32(idle)])
            bus.call(call) { result in
                guard let cookie = (try? result.get())?.first?.asUInt32 else { return answer(nil) }
                answer({ bus.call(method("Uninhibit", [.uint32(cookie)])) { _ in } })
            }
        }
    }
}

/// One inhibition by one service. Asks it once for each; if it refuses, there is none.
private final class Hold {
    private enum State {
        case idle
        case requesting
        case held(SleepInhibition, SleepInhibitor.Release)
        case refused(SleepInhibition)
    }

    private let service: SleepInhibitor.Service
    private var wanted: SleepInhibition?
    private var state = State.idle
    /// Called after each answer.
    var onAnswer: (() -> Void)?

    init(_ service: @escaping SleepInhibitor.Service) { self.service = service }

    var isAtRest: Bool { if case .requesting = state { false } else { true } }

    func hasRefused(_ inhibition: SleepInhibition?) -> Bool {
        if case .refused(let refused) = state { refused == inhibition } else { false }
    }

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
        guard let wanted else { return }
        state = .requesting
        service(wanted) { [weak self] release in
            guard let self else { return }
            state = release.map { .held(wanted, $0) } ?? .refused(wanted)
            proceed()
            onAnswer?()
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
