// The desktop's thread: one poll for both buses and for requests. It carries out what the state machines answer.
import Glibc
import KinePlatform

/// Used on the desktop's thread.
final class DesktopLoop {
    private let mailbox: DesktopMailbox
    private let tell: @Sendable (Desktop.Event) -> Void
    private let session: BusConnection?
    private let system: BusConnection?
    private let inhibitor: SleepInhibitor
    private var server: NotificationServer?
    private var indicator = IndicatorStateMachine()
    private var lock: LockWatch?

    init(_ addresses: BusAddresses, _ mailbox: DesktopMailbox, tell: @escaping @Sendable (Desktop.Event) -> Void) {
        self.mailbox = mailbox
        self.tell = tell
        session = addresses.session.flatMap { try? BusConnection(address: $0) }
        system = addresses.system.flatMap { try? BusConnection(address: $0) }
        inhibitor = SleepInhibitor(session: session, system: system)
        if let session {
            server = NotificationServer(session) { [weak self] event in self?.received(event) }
        }
    }

    /// Returns when it is told to end and nothing is outstanding.
    func run() {
        let buses = [session, system].compactMap(\.self)
        while true {
            for bus in buses { bus.process() }
            for request in mailbox.drain() { carryOut(request) }
            // Requests may have left messages to send.
            for bus in buses { bus.process() }
            if mailbox.isEnding, isAtRest { return }
            var entries = [pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)] + buses.map(\.pollEntry)
            WakeSignal.poll(&entries, until: buses.compactMap(\.nextDeadline).min())
        }
    }

    private var isAtRest: Bool { session?.isClosed != false || indicator.isAtRest }

    private func carryOut(_ request: Desktop.Request) {
        switch request {
        case .indicate(let notification): handle(.want(notification))
        case .inhibitSleep(let inhibition): inhibitor.want(inhibition)
        case .watchLock:
            lock = lock ?? LockWatch(session: session, system: system) { [tell] in tell(.screenLocked($0)) }
        }
    }

    // MARK: The indicator

    private func received(_ event: NotificationServer.Event) {
        switch event {
        case .found: handle(.serverFound)
        case .lost: handle(.serverLost)
        case .disappeared(let id): handle(.disappeared(id: id))
        case .action(let id, let key): handle(.action(id: id, key: key))
        }
    }

    private func handle(_ input: IndicatorStateMachine.Input) {
        for action in indicator.handle(input) {
            switch action {
            case .notify(let notification, let id):
                server?.notify(notification, replacing: id) { [weak self] shown in
                    self?.handle(shown.map { .shown(id: $0) } ?? .refused)
                }
            case .close(let id): server?.close(id) { [weak self] in self?.handle(.closed) }
            case .perform(let key): tell(.action(key: key))
            }
        }
    }
}
