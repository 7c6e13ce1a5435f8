// The desktop for apps and extensions: notifications, the app's activation, the clipboard. A take's engine and an app's
// companion share it.
import KineDesktop
import KineMedia
import KinePlatform
import KineSupervision
import KineText
import KineWire

/// Used by the main thread. No call waits for the desktop.
final class DesktopServices: PollSource {
    /// An app or an extension that sends requests.
    struct Client {
        var sender: LocalNotificationStateMachine.Sender
        /// The service's name, in front of its titles; nil for an app.
        var service: String?
        /// Removed from shown texts.
        var secrets: [String] = []
        var groups: [String] = []
        var answer: (DesktopAnswer) -> Void
    }

    /// A result from another thread.
    enum Completion: Sendable {
        case opening(Int, isOpen: Bool)
        /// For one of `requests`, by its number; a nil result means success.
        case answer(Int, Result<PasteboardText?, DesktopFailure>?)
    }

    /// The most unanswered requests of one sender.
    private static let mostOutstanding = 64

    private let app: AppIdentity?
    private let desktop: Desktop?
    private let deliver: @Sendable (Completion) -> Void
    private let opener: AppOpener
    private let pasteboard: EnginePasteboard
    /// Limited, because an extension that changes the clipboard endlessly would keep the person from copying.
    private var clipboardAllowances: [LocalNotificationStateMachine.Sender: RateAllowance] = [:]
    private var machine = LocalNotificationStateMachine()
    /// Numbered here, because two clients may choose the same number.
    private var requests = PendingRequests<(client: Client, number: Int)>()
    /// The last client of each sender, which receives clicks.
    private var clients: [LocalNotificationStateMachine.Sender: Client] = [:]

    /// - Parameters:
    ///   - desktop: its events go to `received`; nil: there is no bus.
    ///   - deliver: passes a completion to the main thread, which calls `completed`.
    init(
        app: AppIdentity?, desktop: Desktop?, pasteboard: EnginePasteboard = EnginePasteboard(),
        deliver: @escaping @Sendable (Completion) -> Void
    ) {
        self.pasteboard = pasteboard
        self.app = app
        self.desktop = desktop
        self.deliver = deliver
        opener = AppOpener(app, desktop: desktop) { deliver(.opening($0, isOpen: $1)) }
    }

    /// Some notifications have not been shown yet.
    var hasPending: Bool { machine.hasPending }

    /// A click can still open the app.
    var awaitsClick: Bool { opener.isPossible && machine.hasShown }

    var isOpening: Bool { opener.isOpening }

    /// The app has ended: clicks on its notifications open it.
    var isAppGone = false

    var nextDeadline: Int64? { [machine.nextDeadline, opener.nextDeadline].compactMap(\.self).min() }

    func poll(at now: Int64) {
        if let deadline = machine.nextDeadline, now >= deadline { handle(.timePassed, at: now) }
        opener.timePassed(at: now)
    }

    /// Answers now or later.
    func perform(_ request: DesktopRequest, for client: Client, at now: Int64) {
        clients[client.sender] = client
        guard requests.count(where: { $0.client.sender == client.sender }) < Self.mostOutstanding else {
            let failure = DesktopFailure(.tooMany, "The desktop has not answered 64 requests; wait for the answers.")
            return client.answer(.failed(failure, number: request.number))
        }
        let number = requests.add((client, request.number))
        do throws(DesktopFailure) {
            try perform(request.task, client, number, at: now)
        } catch {
            answer(number, error)
        }
    }

    private func perform(
        _ task: DesktopTask, _ client: Client, _ number: Int, at now: Int64
    ) throws(DesktopFailure) {
        switch task {
        case .post(let contents):
            guard desktop != nil else { throw Self.noBus }
            let shown = try contents.cleaned(of: client.secrets, service: client.service)
            handle(.post(.init(contents: shown), from: client.sender, request: number), at: now)
        case .withdraw(let identifier):
            handle(.withdraw(identifier: identifier, from: client.sender), at: now)
            answer(number, nil)
        case .activateApp(let token):
            // An app opens itself after a click of the person, so only services are limited.
            guard client.sender == .app || machine.consume(client.sender, at: now) else {
                throw DesktopFailure(.tooMany, "The app was opened too often in a short time; try again in 10 s.")
            }
            opener.open(token: client.sender == .app ? token : nil, at: now) { [weak self] in
                self?.opened($0, client, number)
            }
        case .setText(let text, let group):
            try Self.check(group, client)
            guard client.sender == .app || mayChangeClipboard(client.sender, at: now) else {
                throw DesktopFailure(
                    .tooMany, "The clipboard was changed too often in a short time; try again in a second.")
            }
            try pasteboard.set(text, group: group) { [deliver] failure in
                deliver(.answer(number, failure.map { .failure($0) }))
            }
        case .text(let group):
            try Self.check(group, client)
            try pasteboard.read(group: group) { [deliver] in deliver(.answer(number, $0)) }
        case .unknown:
            throw DesktopFailure(
                .unavailable, "This version of Kinecast does not know the request; install a newer one.")
        }
    }

    /// Ten times at once, then once a second.
    private func mayChangeClipboard(_ sender: LocalNotificationStateMachine.Sender, at now: Int64) -> Bool {
        clipboardAllowances[sender, default: RateAllowance(most: 10, interval: 1_000_000_000)].consume(at: now)
    }

    private static func check(_ group: String, _ client: Client) throws(DesktopFailure) {
        guard !client.groups.contains(group) else { return }
        throw DesktopFailure(
            .notMember,
            "The group \(group.printable(limit: 100)) is not in the manifest; name it there under groups, in those of the app and of its services."
        )
    }

    private static let noBus = DesktopFailure(
        .unavailable, "There is no session bus, so there are no notifications; start one with dbus-run-session.")

    private func opened(_ isOpen: Bool, _ client: Client, _ number: Int) {
        guard !isOpen else { return answer(number, nil) }
        guard app != nil else {
            return answer(number, DesktopFailure(.failed, "No app has begun this take, so there is none to be opened."))
        }
        let name = appName
        let sentence = "\(name) could not be opened; "
        guard client.service != nil, desktop != nil else {
            return answer(number, DesktopFailure(.failed, sentence + "open it by hand."))
        }
        let contents = NotificationContents(
            identifier: "kinecast.open-app", title: "Open \(name) to go on.",
            text:
                "\(client.service.map { $0.printable(limit: 60) } ?? "A service") needs it, and it could not be opened."
        )
        handle(.post(.init(contents: contents), from: client.sender, request: nil), at: MonotonicClock.now())
        answer(number, DesktopFailure(.personTold, sentence + "a notification asks the person to."))
    }

    /// Shows a notification about a destination, in place of the previous one about that destination.
    func tell(_ title: String, _ text: String, destination: Int, urgency: Notification.Urgency, at now: Int64) {
        guard desktop != nil else { return }
        let contents = NotificationContents(
            identifier: "destination \(destination)",
            title: title.printable(limit: NotificationContents.titleLimit),
            text: text.printable(limit: NotificationContents.textLimit))
        handle(.post(.init(contents: contents, urgency: urgency), from: .engine, request: nil), at: now)
    }

    func received(_ event: Desktop.Event, at now: Int64) {
        switch event {
        case .posted(let number, let event): handle(.desktop(number, event), at: now)
        case .activated(let number, let isActivated): opener.activated(number, isActivated, at: now)
        case .action, .screenLocked, .lockLost, .question: break
        }
    }

    func completed(_ completion: Completion, at now: Int64) {
        switch completion {
        case .opening(let number, let isOpen): opener.tried(number, isOpen: isOpen, at: now)
        case .answer(let number, nil): answer(number, nil)
        case .answer(let number, .failure(let failure)): answer(number, failure)
        case .answer(let number, .success(let text)):
            guard let request = requests.remove(number) else { return }
            request.client.answer(.text(text, number: request.number))
        }
    }

    /// Leaves the text to a clipboard manager. Returns before CLOCK_MONOTONIC reaches `deadline` (nanoseconds).
    func leave(until deadline: Int64) { pasteboard.end(until: deadline) }

    private func answer(_ number: Int, _ failure: DesktopFailure?) {
        guard let request = requests.remove(number) else { return }
        request.client.answer(failure.map { .failed($0, number: request.number) } ?? .done(number: request.number))
    }

    private func handle(_ event: LocalNotificationStateMachine.Event, at now: Int64) {
        for action in machine.handle(event, at: now) {
            switch action {
            case .show(let post, let sender, let number): desktop?.post(notification(post, sender), number: number)
            case .remove(let number): desktop?.withdraw(number)
            case .answer(let number, let failure): answer(number, failure)
            case .activated(let sender, let activation): activated(sender, activation, at: now)
            }
        }
    }

    /// A click on a service's notification opens the app. A running app gets its own clicks instead.
    private func activated(
        _ sender: LocalNotificationStateMachine.Sender, _ activation: NotificationActivation, at now: Int64
    ) {
        clients[sender]?.answer(.activated(activation))
        if sender != .app || isAppGone { opener.open(token: activation.token, at: now) { _ in } }
    }

    private var appName: String { app.map { ($0.name ?? $0.identifier).printable(limit: 60) } ?? "Kinecast" }

    private func notification(
        _ post: LocalNotificationStateMachine.Post, _ sender: LocalNotificationStateMachine.Sender
    ) -> Notification {
        let contents = post.contents
        var actions = contents.actions.map { Notification.Action(key: $0.identifier, title: $0.title) }
        if app != nil, sender != .engine || opener.isPossible {
            actions.insert(.init(key: Notification.defaultAction, title: "Open \(appName)"), at: 0)
        }
        var notification = Notification(
            sender: appName, icon: app?.icon ?? "media-record", desktopEntry: app?.desktopFile, title: contents.title,
            text: contents.text, actions: actions, urgency: post.urgency, isResident: false)
        notification.staysUntilClosed = false
        notification.sound = contents.sound.map { $0.isEmpty ? .standard : .named($0) } ?? .none
        return notification
    }
}
