// Decides which notifications are shown, and when. No bus, no clock: `DesktopServices` carries out the actions.
import KineDesktop
import KineSupervision
import KineWire

/// The notifications of an app, or of a take's services.
///
/// Each sender may show three at once, then one every ten seconds; replacements count too. More are refused, but
/// delayed ones and the engine's own wait.
struct LocalNotificationStateMachine: Sendable {
    enum Sender: Hashable, Sendable {
        case app
        /// The service of a destination.
        case service(destination: Int)
        /// The engine, about destinations.
        case engine
    }

    struct Post: Sendable, Equatable {
        /// Cleaned.
        var contents: NotificationContents
        var urgency = Notification.Urgency.normal
    }

    enum Event: Sendable, Equatable {
        /// `request` gets the answer. Without a request, the notification is delayed instead of refused.
        case post(Post, from: Sender, request: Int?)
        case withdraw(identifier: String, from: Sender)
        case timePassed
        /// An event of the notification with that number.
        case desktop(Int, Desktop.PostEvent)
    }

    enum Action: Sendable, Equatable {
        /// Replaces the notification with the same number.
        case show(Post, of: Sender, number: Int)
        case remove(number: Int)
        /// Nil: it is shown, or will be.
        case answer(request: Int, DesktopFailure?)
        case activated(Sender, NotificationActivation)
    }

    static let mostPending = 64
    /// The most shown notifications of one sender whose clicks are handled; older ones are forgotten.
    static let mostShown = 64

    private struct Name: Hashable {
        var sender: Sender
        var identifier: String
    }

    private struct Pending {
        var post: Post
        /// Nanoseconds of CLOCK_MONOTONIC.
        var due: Int64
    }

    private struct Shown {
        var name: Name
        var payload: [String: String]
        /// The requests that wait for the desktop's answer.
        var requests: [Int]
    }

    private var pending: [Name: Pending] = [:]
    private var numbers: [Name: Int] = [:]
    private var shown: [Int: Shown] = [:]
    private var lastNumber = 0
    private var allowances: [Sender: RateAllowance] = [:]

    /// Some notifications have not been shown yet.
    var hasPending: Bool { !pending.isEmpty }

    /// A notification is on the desktop, according to its reports.
    var hasShown: Bool { !shown.isEmpty }

    /// The latest instant for `timePassed`; nil: no deadline before the next event.
    var nextDeadline: Int64? {
        pending.map { max($1.due, allowances[$0.sender]?.next ?? .min) }.min()
    }

    /// Counts an action of the sender as one notification. False if it has exceeded its limit.
    mutating func consume(_ sender: Sender, at now: Int64) -> Bool {
        allowances[sender, default: RateAllowance(most: 3, interval: 10_000_000_000)].consume(at: now)
    }

    mutating func handle(_ event: Event, at now: Int64) -> [Action] {
        switch event {
        case .post(let post, let sender, let request): return self.post(post, sender, request, at: now)
        case .withdraw(let identifier, let sender):
            let name = Name(sender: sender, identifier: identifier)
            pending[name] = nil
            guard let number = numbers[name] else { return [] }
            // The desktop may not report its end.
            if shown[number]?.requests.isEmpty == true { forget(number) }
            return [.remove(number: number)]
        case .timePassed: return showDue(at: now)
        case .desktop(let number, let event): return heard(number, event)
        }
    }

    private mutating func post(_ post: Post, _ sender: Sender, _ request: Int?, at now: Int64) -> [Action] {
        let name = Name(sender: sender, identifier: post.contents.identifier)
        func answer(_ failure: DesktopFailure?) -> [Action] { request.map { [.answer(request: $0, failure)] } ?? [] }
        if request == nil || post.contents.delay > 0 {
            guard pending[name] != nil || pending.keys.count(where: { $0.sender == sender }) < Self.mostPending else {
                return answer(
                    DesktopFailure(.tooMany, "64 notifications are pending; withdraw some, or post this one later."))
            }
            pending[name] = Pending(post: post, due: now + Int64(post.contents.delay * 1e9))
            return answer(nil) + showDue(at: now)
        }
        guard consume(sender, at: now) else {
            let seconds = ((allowances[sender]?.next ?? now) - now + 999_999_999) / 1_000_000_000
            return answer(
                DesktopFailure(
                    .tooMany, "There were too many notifications in a short time; post this one in \(seconds) s."))
        }
        pending[name] = nil
        return show(post, name, request)
    }

    private mutating func showDue(at now: Int64) -> [Action] {
        let due = pending.filter { $1.due <= now }.sorted {
            ($0.value.due, $0.key.identifier) < ($1.value.due, $1.key.identifier)
        }
        return due.flatMap { name, due -> [Action] in
            guard consume(name.sender, at: now) else { return [] }
            pending[name] = nil
            return show(due.post, name, nil)
        }
    }

    private mutating func show(_ post: Post, _ name: Name, _ request: Int?) -> [Action] {
        let number = numbers[name] ?? lastNumber + 1
        lastNumber = max(lastNumber, number)
        numbers[name] = number
        var entry = shown[number] ?? Shown(name: name, payload: [:], requests: [])
        entry.payload = post.contents.payload
        if let request { entry.requests.append(request) }
        shown[number] = entry
        forgetOldest(name.sender)
        return [.show(post, of: name.sender, number: number)]
    }

    private mutating func forgetOldest(_ sender: Sender) {
        let own = shown.filter { $1.name.sender == sender && $1.requests.isEmpty }.keys.sorted()
        for number in own.dropLast(Self.mostShown) { forget(number) }
    }

    private mutating func forget(_ number: Int) {
        guard let entry = shown.removeValue(forKey: number) else { return }
        numbers[entry.name] = nil
    }

    private mutating func heard(_ number: Int, _ event: Desktop.PostEvent) -> [Action] {
        guard var entry = shown[number] else { return [] }
        let requests = entry.requests
        entry.requests = []
        switch event {
        case .shown:
            shown[number] = entry
            return requests.map { .answer(request: $0, nil) }
        case .notShown:
            forget(number)
            let failure = DesktopFailure(
                .unavailable,
                "This desktop shows no notification; start a notification service, such as dunst, or tell the person otherwise."
            )
            return requests.map { .answer(request: $0, failure) }
        case .closed:
            // Withdrawn before it was shown, or closed since.
            forget(number)
            return requests.map { .answer(request: $0, nil) }
        case .activated(let key, let token):
            let activation = NotificationActivation(
                identifier: entry.name.identifier, action: key == Notification.defaultAction ? nil : key,
                payload: entry.payload, token: token)
            return [.activated(entry.name.sender, activation)]
        }
    }
}
