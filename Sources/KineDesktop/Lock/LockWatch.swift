// Watches whether the screen is locked: logind's LockedHint, and the screen savers of the desktops that do not set it.

/// One of the interfaces of a desktop's screen saver.
struct ScreenSaver: Sendable {
    let witness: LockState.Witness
    let name: String
    let path: String

    static let freedesktop = ScreenSaver(
        witness: .freedesktop, name: "org.freedesktop.ScreenSaver", path: "/org/freedesktop/ScreenSaver")
    static let gnome = ScreenSaver(witness: .gnome, name: "org.gnome.ScreenSaver", path: "/org/gnome/ScreenSaver")

    func method(_ member: String, _ arguments: [BusValue] = []) -> BusCall {
        var call = BusCall(name, path: path, interface: name, member, arguments)
        // A desktop that has one runs it.
        call.startsService = false
        return call
    }
}

/// Used on one thread.
final class LockWatch {
    private let tell: (LockState.News) -> Void
    private var state = LockState()

    /// - Parameter tell: is told the state once it is known, and then each other one.
    init(session: BusConnection?, system: BusConnection?, tell: @escaping (LockState.News) -> Void) {
        self.tell = tell
        for saver in [ScreenSaver.freedesktop, .gnome] {
            if let session { watch(saver, on: session) } else { hear(saver.witness, nil) }
        }
        if let system { watchSession(on: system) } else { hear(.logind, nil) }
    }

    /// The bus of the session, or that of the system, has closed.
    func lost(isSession: Bool) {
        if let news = state.miss(isSession ? [.freedesktop, .gnome] : [.logind]) { tell(news) }
    }

    /// `isLocked`: nil: the service is not there.
    private func hear(_ witness: LockState.Witness, _ isLocked: Bool?) {
        let news = if let isLocked { state.hear(witness, isLocked: isLocked) } else { state.miss([witness]) }
        if let news { tell(news) }
    }

    private func watch(_ saver: ScreenSaver, on bus: BusConnection) {
        bus.match("type='signal',sender='\(saver.name)',interface='\(saver.name)',member='ActiveChanged'") {
            [weak self] signal in
            // sd-bus leaves it to the bus to know who has a name.
            guard signal.interface == saver.name, let isActive = signal.arguments.first?.asBoolean else { return }
            self?.hear(saver.witness, isActive)
        }
        bus.match(BusDaemon.ownerRule(of: saver.name)) { [weak self, weak bus] signal in
            guard let self, let bus, let change = BusDaemon.ownerChange(signal), change.name == saver.name
            else { return }
            if change.isGone { hear(saver.witness, nil) } else { ask(saver, on: bus) }
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
            // Before the question, so that no change falls between the two.
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
