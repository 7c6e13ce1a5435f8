// The services that keep a machine awake: logind's Inhibit (org.freedesktop.login1(5)), and org.freedesktop.ScreenSaver.

/// Used on one thread.
final class SleepInhibitor {
    private enum Hold {
        /// logind's: closing it ends the inhibition.
        case descriptor(BusDescriptor)
        /// The number from the screen saver.
        case cookie(UInt32)
    }

    private let session: BusConnection?
    private let system: BusConnection?
    private var machine: InhibitorStateMachine
    private var hold: Hold?

    init(session: BusConnection?, system: BusConnection?) {
        self.session = session
        self.system = system
        machine = InhibitorStateMachine(
            routes: (system == nil ? [] : [.logind]) + (session == nil ? [] : [.screenSaver]))
    }

    var isAtRest: Bool { machine.isAtRest }

    func want(_ inhibition: SleepInhibition?) { handle(.want(inhibition)) }

    private func handle(_ input: InhibitorStateMachine.Input) {
        for action in machine.handle(input) {
            switch action {
            case .request(.logind, let inhibition): askLogind(inhibition)
            case .request(.screenSaver, let inhibition): askScreenSaver(inhibition)
            case .release: release()
            }
        }
    }

    private func askLogind(_ inhibition: SleepInhibition) {
        let call = Logind.manager(
            "Inhibit",
            [
                .string(inhibition.keepsScreenOn ? "sleep:idle" : "sleep"), .string(inhibition.who),
                .string(inhibition.why), .string("block"),
            ])
        system?.call(call) { [weak self] answer in
            guard let descriptor = (try? answer.get())?.first?.asDescriptor else {
                self?.handle(.refused(.logind))
                return
            }
            self?.hold = .descriptor(descriptor)
            self?.handle(.granted(.logind))
        }
    }

    private func askScreenSaver(_ inhibition: SleepInhibition) {
        let call = ScreenSaver.freedesktop.method("Inhibit", [.string(inhibition.who), .string(inhibition.why)])
        session?.call(call) { [weak self] answer in
            guard let cookie = (try? answer.get())?.first?.asUInt32 else {
                self?.handle(.refused(.screenSaver))
                return
            }
            self?.hold = .cookie(cookie)
            self?.handle(.granted(.screenSaver))
        }
    }

    private func release() {
        if case .cookie(let cookie) = hold {
            session?.call(ScreenSaver.freedesktop.method("UnInhibit", [.uint32(cookie)])) { _ in }
        }
        hold = nil
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
