// Notifications on the person's desktop, from an app or from an extension.
import KineWire

/// A notification on the person's desktop.
///
///     try await LocalNotification(identifier: "connection", title: "connected").post()
///
/// An app posts directly; an extension cannot reach the desktop, so its engine posts. The texts are plain, without
/// markup. An extension's title begins with its service's name, and the destination's secrets are removed.
///
/// A click opens the app through the desktop file or else the first URL scheme in the app's `kinecast-app.json`; a
/// notification cannot name another app. If the app reads ``activations``, the click arrives there instead; an
/// extension's clicks arrive there as well.
///
/// At most three at once, then one every ten seconds. A replacement counts too.
public struct LocalNotification: Sendable, Equatable {
    public enum Sound: Sendable, Equatable {
        case none
        /// The desktop's own sound for notifications, if it has one.
        case standard
        /// A name of the freedesktop.org sound naming specification, such as "complete". Not a file.
        case named(String)
    }

    /// A button.
    public struct Action: Sendable, Equatable {
        /// 1 to 100 characters; ``Activation/action`` has it after a click.
        public var identifier: String
        public var title: String

        public init(identifier: String, title: String) {
            self.identifier = identifier
            self.title = title
        }
    }

    /// A click on a notification or its button.
    public struct Activation: Sendable, Equatable {
        /// The notification's identifier.
        public var identifier: String
        /// The button's identifier; nil: the notification itself.
        public var action: String?
        /// The notification's payload.
        public var payload: [String: String]
        /// The desktop's permission to come to the front, for the window toolkit (XDG_ACTIVATION_TOKEN), if any.
        public var activationToken: String?
    }

    public struct Error: Swift.Error, Sendable, Equatable, CustomStringConvertible {
        public enum Code: Sendable, Equatable {
            /// There is no desktop or no notification service, or the broadcast has not started.
            case unavailable
            /// Too many notifications in a short time.
            case tooMany
            /// A property breaks its rule.
            case invalid
            case failed
        }

        public var code: Code
        /// One sentence: what happened, and what to do.
        public var description: String
    }

    /// 1 to 100 characters. Replaces this process's notification with the same identifier.
    public var identifier: String
    /// One line, at most 200 characters; longer titles are cut.
    public var title: String
    /// At most 1000 characters; longer texts are cut, and line breaks become spaces.
    public var text: String
    public var sound = Sound.none
    /// Returned with a click, and not used otherwise. At most 32 entries, each text at most 1000 bytes.
    public var payload: [String: String] = [:]
    /// The time until it is shown, at most a day. The end of a broadcast drops its extension's delayed notifications;
    /// those of an app are shown even if the app has ended.
    public var delay: Duration = .zero
    /// At most three. A desktop without support for buttons shows none.
    public var actions: [Action] = []

    /// - Parameters:
    ///   - identifier: nil: a unique one.
    ///   - title: one line.
    ///   - text: plain text; markup is shown literally.
    public init(identifier: String? = nil, title: String, text: String = "") {
        self.identifier = identifier ?? "\(UInt64.random(in: 0...(.max)))"
        self.title = title
        self.text = text
    }

    /// Shows the notification. Returns when the desktop has it, or when a delayed one is stored.
    public func post() async throws(Error) { try await post(.shared) }

    func post(_ channel: DesktopChannel) async throws(Error) {
        let cleaned: NotificationContents
        do throws(DesktopFailure) {
            // Checked here already: a message has a limit, and longer texts are cut.
            cleaned = try contents.cleaned()
        } catch {
            throw Error(error)
        }
        try await Self.perform(.post(cleaned), channel)
    }

    /// Withdraws this process's notification with that identifier, shown or delayed. Does nothing if there is none.
    public static func withdraw(identifier: String) async throws(Error) {
        try await perform(.withdraw(identifier: identifier), .shared)
    }

    /// The clicks on this process's notifications from now on. While an app reads them, a click does not open the app.
    public static var activations: some AsyncSequence<Activation, Never> & Sendable { activations(.shared) }

    static func activations(_ channel: DesktopChannel) -> some AsyncSequence<Activation, Never> & Sendable {
        channel.activations().map { activation in
            Activation(
                identifier: activation.identifier, action: activation.action, payload: activation.payload,
                activationToken: activation.token)
        }
    }

    private var contents: NotificationContents {
        let (seconds, attoseconds) = delay.components
        return NotificationContents(
            identifier: identifier, title: title, text: text, sound: sound.name, payload: payload,
            delay: Double(seconds) + Double(attoseconds) / 1e18,
            actions: actions.map { .init(identifier: $0.identifier, title: $0.title) })
    }

    private static func perform(_ task: DesktopTask, _ channel: DesktopChannel) async throws(Error) {
        do throws(DesktopFailure) { try await channel.perform(task) } catch { throw Error(error) }
    }
}

extension LocalNotification.Error {
    fileprivate init(_ failure: DesktopFailure) {
        code =
            switch failure.code {
            case .unavailable: .unavailable
            case .tooMany: .tooMany
            case .invalid: .invalid
            case .notMember, .personTold, .failed: .failed
            }
        description = failure.message
    }
}

extension LocalNotification.Sound {
    fileprivate var name: String? {
        switch self {
        case .none: nil
        case .standard: ""
        case .named(let name): name
        }
    }
}
