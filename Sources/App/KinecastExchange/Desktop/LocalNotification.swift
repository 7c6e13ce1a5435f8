// Notifications on the person's desktop, from an app or from an extension.
import KineWire

/// A notification on the person's desktop.
///
///     try await LocalNotification(identifier: "connection", title: "connected").post()
///
/// An app posts by itself; an extension, which reaches no desktop, posts through its engine. The texts are plain: nothing in them is
/// markup. An extension's title has its service's name in front, and the destination's secrets are left out.
///
/// A click opens the app, by the desktop file or else the first URL scheme that the app's `kinecast-app.json` names; nothing in the
/// notification can name another. In an app that reads ``activations``, a click is told there instead, and an extension learns of it
/// there too.
///
/// Three can be posted at once, then one in ten seconds. One that replaces another counts too.
public struct LocalNotification: Sendable, Equatable {
    public enum Sound: Sendable, Equatable {
        case none
        /// The desktop's own sound for notifications, if it has one.
        case standard
        /// A name of the freedesktop.org sound naming specification, such as "complete". No file.
        case named(String)
    }

    /// A button.
    public struct Action: Sendable, Equatable {
        /// 1 to 100 characters, which ``Activation/action`` repeats.
        public var identifier: String
        public var title: String

        public init(identifier: String, title: String) {
            self.identifier = identifier
            self.title = title
        }
    }

    /// A click.
    public struct Activation: Sendable, Equatable {
        /// The notification's.
        public var identifier: String
        /// The button's; nil: the notification itself.
        public var action: String?
        /// The notification's.
        public var payload: [String: String]
        /// The desktop's permission to come to the front, for the window toolkit (XDG_ACTIVATION_TOKEN); nil where it gives none.
        public var activationToken: String?
    }

    public struct Error: Swift.Error, Sendable, Equatable, CustomStringConvertible {
        public enum Code: Sendable, Equatable {
            /// No desktop, no notification service, or an engine that is too old.
            case unavailable
            /// Too many in a short time.
            case tooMany
            /// A property breaks its rule.
            case invalid
            case failed
        }

        public var code: Code
        /// One sentence: what happened, and what to do.
        public var description: String
    }

    /// One of this process's with the same identifier is replaced. 1 to 100 characters.
    public var identifier: String
    /// One line, at most 200 characters; more is cut.
    public var title: String
    /// At most 1000 characters; more is cut, and line breaks become spaces.
    public var text: String
    public var sound = Sound.none
    /// Given back with a click, and used for nothing else. At most 32 entries, each text of at most 1000 bytes.
    public var payload: [String: String] = [:]
    /// The time until it is shown, at most a day. The end of a broadcast drops what its extension's are still waiting; an app may
    /// end before.
    public var delay: Duration = .zero
    /// At most three. A desktop without buttons shows none.
    public var actions: [Action] = []

    /// - Parameters:
    ///   - identifier: nil: one that no other notification has.
    ///   - title: one line.
    ///   - text: plain text: markup is shown as it is written.
    public init(identifier: String? = nil, title: String, text: String = "") {
        self.identifier = identifier ?? "\(UInt64.random(in: 0...(.max)))"
        self.title = title
        self.text = text
    }

    /// Shows it. Returns when the desktop has it, or when a delayed one is kept for later.
    public func post() async throws(Error) { try await post(.shared) }

    func post(_ channel: DesktopChannel) async throws(Error) {
        let cleaned: NotificationContents
        do throws(DesktopFailure) {
            // Here already: a message has a limit, and longer texts are cut.
            cleaned = try contents.cleaned()
        } catch {
            throw Error(error)
        }
        try await Self.perform(.post(cleaned), channel)
    }

    /// Takes back what this process has posted with that identifier, shown or delayed. There may be none.
    public static func withdraw(identifier: String) async throws(Error) {
        try await perform(.withdraw(identifier: identifier), .shared)
    }

    /// The clicks on this process's notifications from now on. While an app reads them, a click does not open it anew.
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
        do throws(DesktopFailure) {
            try await channel.perform(task)
        } catch {
            throw Error(error)
        }
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
