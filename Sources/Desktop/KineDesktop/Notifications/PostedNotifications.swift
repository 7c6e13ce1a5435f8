// Notifications that are shown once: unlike the indicator, they are not shown again after their server ends.

/// The posted notifications of a desktop, by the numbers that their owner chooses. Used on one thread.
final class PostedNotifications {
    private enum State {
        /// The search for a server has not ended.
        case waiting(Notification)
        /// The server has not answered. `next`: the last request since then.
        case requested(next: Next?)
        case shown(id: UInt32)
        case unknown

        enum Next {
            case show(Notification)
            case withdraw
        }
    }

    private let server: NotificationServer?
    private let tell: (Int, Desktop.PostEvent) -> Void
    private var states: [Int: State] = [:]

    init(_ server: NotificationServer?, tell: @escaping (Int, Desktop.PostEvent) -> Void) {
        self.server = server
        self.tell = tell
    }

    /// No request is outstanding.
    var isAtRest: Bool {
        states.values.allSatisfy {
            switch $0 {
            case .waiting, .requested: false
            case .shown, .unknown: true
            }
        }
    }

    /// Shows the notification, in place of an earlier one with that number.
    func post(_ notification: Notification, number: Int) {
        guard let server else { return tell(number, .notShown) }
        switch states[number] ?? .unknown {
        case .requested: states[number] = .requested(next: .show(notification))
        case .shown(let id): request(notification, number, replacing: id)
        case .waiting, .unknown:
            guard server.capabilities == nil else { return request(notification, number, replacing: 0) }
            states[number] = .waiting(notification)
            server.seekAgain()
        }
    }

    func withdraw(_ number: Int) {
        switch states[number] ?? .unknown {
        case .waiting: end(number, .closed)
        case .requested: states[number] = .requested(next: .withdraw)
        case .shown(let id):
            states[number] = nil
            server?.close(id) {}
        case .unknown: break
        }
    }

    func received(_ event: NotificationServer.Event) {
        switch event {
        case .found:
            for (number, state) in states.sorted(by: { $0.key < $1.key }) {
                if case .waiting(let notification) = state { request(notification, number, replacing: 0) }
            }
        case .absent, .lost:
            for (number, state) in states.sorted(by: { $0.key < $1.key }) {
                if case .shown = state { end(number, .closed) } else { end(number, .notShown) }
            }
        case .disappeared(let id): if let number = number(of: id) { end(number, .closed) }
        case .action(let id, let key):
            if let number = number(of: id) { tell(number, .activated(key: key, token: server?.takeToken(of: id))) }
        }
    }

    /// The bus has closed.
    func lost() { received(.lost) }

    private func number(of id: UInt32) -> Int? {
        states.first { if case .shown(id) = $0.value { true } else { false } }?.key
    }

    private func end(_ number: Int, _ event: Desktop.PostEvent) {
        states[number] = nil
        tell(number, event)
    }

    private func request(_ notification: Notification, _ number: Int, replacing id: UInt32) {
        states[number] = .requested(next: nil)
        server?.notify(notification, replacing: id) { [weak self] in self?.answered(number, $0) }
    }

    private func answered(_ number: Int, _ id: UInt32?) {
        guard case .requested(let next) = states[number] else { return }
        guard let id else {
            guard case .show(let notification) = next else { return end(number, .notShown) }
            return request(notification, number, replacing: 0)
        }
        states[number] = .shown(id: id)
        switch next {
        case nil: tell(number, .shown)
        case .show(let notification): request(notification, number, replacing: id)
        case .withdraw:
            tell(number, .shown)
            withdraw(number)
        }
    }
}
