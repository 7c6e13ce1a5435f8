// The desktop's thread: polls both buses and the requests, and carries out the actions of the state machines.
import KinePlatform

/// Used on the desktop's thread.
final class DesktopLoop {
    private let requests: Mailbox<Desktop.Request>
    private let tell: @Sendable (Desktop.Event) -> Void
    private let session: BusConnection?
    private let system: BusConnection?
    private let inhibitor: SleepInhibitor
    private let server: NotificationServer?
    private let indicator: KeptNotification
    private let question: KeptNotification
    private let posted: PostedNotifications
    private var lock: LockWatch?

    init(
        _ addresses: BusAddresses, _ requests: Mailbox<Desktop.Request>,
        tell: @escaping @Sendable (Desktop.Event) -> Void
    ) {
        self.requests = requests
        self.tell = tell
        session = addresses.session.flatMap { try? BusConnection(address: $0) }
        system = addresses.system.flatMap { try? BusConnection(address: $0) }
        inhibitor = SleepInhibitor(session: session, system: system)
        server = session.map(NotificationServer.init)
        indicator = KeptNotification(server) { event in
            if case .answered(let key) = event { tell(.action(key: key)) }
        }
        question = KeptNotification(server) { [weak server] event in
            // A question needs buttons.
            let cannotAsk = event == .shown && server?.capabilities?.hasActions != true
            tell(.question(cannotAsk ? .notShown : event))
        }
        posted = PostedNotifications(server) { tell(.posted($0, $1)) }
        server?.tell = { [weak self] event in
            self?.indicator.received(event)
            self?.posted.received(event)
            self?.question.received(event)
        }
    }

    /// Returns once the mailbox is closed and no request is outstanding.
    func run() {
        let buses = [session, system].compactMap(\.self)
        while true {
            buses.forEach(process)
            for request in requests.drain() { carryOut(request) }
            // Requests may have left messages to send.
            buses.forEach(process)
            if requests.isOver, isAtRest { return }
            PollLoop.wait(for: requests, session, system)
        }
    }

    private func process(_ bus: BusConnection) {
        guard !bus.isClosed else { return }
        bus.process()
        guard bus.isClosed else { return }
        lock?.lost(isSession: bus === session)
        if bus === session { posted.lost() }
    }

    private var isAtRest: Bool {
        session?.isClosed != false || indicator.isAtRest && question.isAtRest && posted.isAtRest && inhibitor.isAtRest
    }

    private func carryOut(_ request: Desktop.Request) {
        switch request {
        case .indicate(let notification): indicator.want(notification)
        case .ask(let notification): question.want(notification)
        case .inhibitSleep(let inhibition): inhibitor.want(inhibition)
        case .post(let notification, let number): posted.post(notification, number: number)
        case .withdraw(let number): posted.withdraw(number)
        case .activate(let application, let token, let number): activate(application, token, number)
        case .watchLock(let isWayland):
            lock =
                lock
                ?? LockWatch(session: session, system: system, isWayland: isWayland) { [tell] event in
                    switch event {
                    case .locked(let isLocked): tell(.screenLocked(isLocked))
                    case .lost: tell(.lockLost)
                    }
                }
        }
    }

    /// Desktop Entry Specification 1.5, "D-Bus Activation".
    private func activate(_ application: String, _ token: String?, _ number: Int) {
        guard let session, !session.isClosed else { return tell(.activated(number, false)) }
        let path = "/" + application.replacing(".", with: "/").replacing("-", with: "_")
        let data = token.map { ["desktop-startup-id": BusValue.string($0), "activation-token": .string($0)] } ?? [:]
        session.call(
            BusCall(
                application, path: path, interface: "org.freedesktop.Application", "Activate", [.properties(data)])
        ) { [tell] answer in
            tell(.activated(number, (try? answer.get()) != nil))
        }
    }
}
