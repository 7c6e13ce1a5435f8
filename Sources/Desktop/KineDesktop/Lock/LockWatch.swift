// Watches whether the screen is locked: logind's LockedHint, and the screen savers of desktops that do not set it.
import Glibc

/// One of the interfaces of a desktop's screen saver.
struct ScreenSaver: Sendable {
    let witness: LockState.Witness
    let name: String
    let path: String

    static let freedesktop = ScreenSaver(
        witness: .freedesktop, name: "org.freedesktop.ScreenSaver", path: "/org/freedesktop/ScreenSaver")
    static let gnome = ScreenSaver(witness: .gnome, name: "org.gnome.ScreenSaver", path: "/org/gnome/ScreenSaver")
    static let all = [
        freedesktop, gnome,
        ScreenSaver(witness: .cinnamon, name: "org.cinnamon.ScreenSaver", path: "/org/cinnamon/ScreenSaver"),
        ScreenSaver(witness: .mate, name: "org.mate.ScreenSaver", path: "/"),
        ScreenSaver(witness: .xfce, name: "org.xfce.ScreenSaver", path: "/org/xfce/ScreenSaver"),
    ]

    func method(_ member: String, _ arguments: [BusValue] = []) -> BusCall {
        var call = BusCall(name, path: path, interface: name, member, arguments)
        // A desktop that has a screen saver runs it already.
        call.startsService = false
        return call
    }
}

/// Used on one thread.
final class LockWatch {
    private let isWayland: Bool
    private let tell: (LockState.News) -> Void
    private var state = LockState()

    /// - Parameter tell: called with the state once it is known, then with each change.
    init(
        session: BusConnection?, system: BusConnection?, isWayland: Bool, tell: @escaping (LockState.News) -> Void
    ) {
        self.isWayland = isWayland
        self.tell = tell
        for saver in ScreenSaver.all {
            if let session { watch(saver, on: session) } else { hear(saver.witness, nil) }
        }
        if let system { watchSession(on: system) } else { hear(.logind, nil) }
    }

    /// The session bus, or the system bus, has closed.
    func lost(isSession: Bool) {
        if let news = state.miss(isSession ? ScreenSaver.all.map(\.witness) : [.logind]) { tell(news) }
    }

    /// `isLocked`: nil: the service does not run.
    private func hear(_ witness: LockState.Witness, _ isLocked: Bool?) {
        let news = if let isLocked { state.hear(witness, isLocked: isLocked) } else { state.miss([witness]) }
        if let news { tell(news) }
    }

    private func watch(_ saver: ScreenSaver, on bus: BusConnection) {
        bus.match("type='signal',sender='\(saver.name)',interface='\(saver.name)',member='ActiveChanged'") {
            [weak self] signal in
            // sd-bus cannot match by a well-known name: only the bus knows its owner.
            guard signal.interface == saver.name, let isActive = signal.arguments.first?.asBoolean else { return }
            self?.hear(saver.witness, isActive)
        }
        if saver.witness == .freedesktop, isWayland {
            // KDE blanks the screen at once, and says that it is locked up to a second later, when its lock screen is painted. On X11 the
            // lock may fail in between, where a menu is open, and nothing is said of that.
            let name = "org.kde.screensaver"
            bus.match("type='signal',sender='\(saver.name)',interface='\(name)',member='AboutToLock'") {
                [weak self] signal in
                if signal.interface == name { self?.hear(saver.witness, true) }
            }
        }
        bus.matchOwner(of: saver.name) { [weak self, weak bus] owner in
            guard let self, let bus else { return }
            if owner == nil { hear(saver.witness, nil) } else { ask(saver, on: bus) }
        }
        ask(saver, on: bus)
    }

    private func ask(_ saver: ScreenSaver, on bus: BusConnection) {
        bus.call(saver.method("GetActive")) { [weak self] answer in
            self?.hear(saver.witness, (try? answer.get())?.first?.asBoolean)
        }
    }

    private func watchSession(on bus: BusConnection) {
        Logind.findSession(bus) { [weak self, weak bus] path in
            guard let self, let bus else { return }
            guard let path else { return hear(.logind, nil) }
            // Subscribes before it asks, so that no change is missed in between.
            bus.match(
                "type='signal',sender='\(Logind.name)',path='\(path)',interface='\(Logind.properties)',"
                    + "member='PropertiesChanged',arg0='\(Logind.sessionInterface)'"
            ) { [weak self] signal in
                guard signal.path == path, signal.arguments.count > 1,
                    let isLocked = signal.arguments[1].asProperties?["LockedHint"]?.asBoolean
                else { return }
                self?.hear(.logind, isLocked)
            }
            bus.call(Logind.property("LockedHint", of: Logind.sessionInterface, at: path)) { [weak self] answer in
                self?.hear(.logind, (try? answer.get())?.first?.content?.asBoolean)
            }
        }
    }
}

// The objects of systemd-logind, org.freedesktop.login1(5), and the session that has the screen.
enum Logind {
    static let name = "org.freedesktop.login1"
    static let path = "/org/freedesktop/login1"
    static let sessionInterface = "org.freedesktop.login1.Session"
    static let properties = "org.freedesktop.DBus.Properties"

    static func manager(_ member: String, _ arguments: [BusValue]) -> BusCall {
        BusCall(name, path: path, interface: "org.freedesktop.login1.Manager", member, arguments)
    }

    static func property(_ property: String, of interface: String, at path: String) -> BusCall {
        BusCall(name, path: path, interface: properties, "Get", [.string(interface), .string(property)])
    }

    /// Finds the session of this user's display, or this process's session if there is none. They may differ: terminal
    /// programs belong to no session, and those of ssh to another. `answer`: its path; nil: there is none.
    static func findSession(_ bus: BusConnection, answer: @escaping (String?) -> Void) {
        bus.call(manager("GetUser", [.uint32(getuid())])) { result in
            guard let user = (try? result.get())?.first?.asString else { return own(bus, answer) }
            bus.call(property("Display", of: "org.freedesktop.login1.User", at: user)) { result in
                // The session's ID and path; both are empty without a display.
                guard let display = (try? result.get())?.first?.content?.members, display.count == 2,
                    display[0].asString != "", let path = display[1].asString
                else { return own(bus, answer) }
                answer(path)
            }
        }
    }

    private static func own(_ bus: BusConnection, _ answer: @escaping (String?) -> Void) {
        // 0: this process.
        bus.call(manager("GetSessionByPID", [.uint32(0)])) { answer((try? $0.get())?.first?.asString) }
    }
}

/// Decides whether the screen is locked, from the reports of several services. Pure.
struct LockState: Sendable {
    /// A service that reports the lock.
    enum Witness: Sendable, CaseIterable {
        case logind
        case freedesktop
        case gnome
        case cinnamon
        case mate
        case xfce
    }

    enum News: Equatable {
        case locked(Bool)
        /// The last service that reported a lock has ended. The screen counts as locked until a service reports again.
        case lost
    }

    /// The last report of each service.
    private var words: [Witness: Bool] = [:]
    /// logind has a session, whose LockedHint GNOME sets. GNOME's own word is of its shield, which may come without a lock.
    private var hasSession = false
    private var told: Bool?
    private var isLost = false

    /// Notes a service's report. The screen is locked if one service says so, and unlocked once all have said so.
    mutating func hear(_ witness: Witness, isLocked: Bool) -> News? {
        words[witness] = isLocked
        if witness == .logind { hasSession = true }
        defer { isLost = false }
        return news(isRepeated: isLost)
    }

    /// Notes that these services do not run.
    mutating func miss(_ witnesses: [Witness]) -> News? {
        for witness in witnesses { words[witness] = false }
        if witnesses.contains(.logind) { hasSession = false }
        guard told == true else { return news(isRepeated: false) }
        guard !isLost, !isLocked else { return nil }
        isLost = true
        return .lost
    }

    private var isLocked: Bool { words.contains { $0.value && !(hasSession && $0.key == .gnome) } }

    private mutating func news(isRepeated: Bool) -> News? {
        let isLocked = isLocked
        guard isLocked || told != nil || words.count == Witness.allCases.count, isRepeated || isLocked != told
        else { return nil }
        told = isLocked
        return .locked(isLocked)
    }
}
