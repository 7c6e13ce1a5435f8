// What a picker needs of whoever shows it to the person: a terminal, a window of the app's, a page.
import FoundationEssentials
import KineMedia

/// What a person is to choose from.
public struct BroadcastRequest: Sendable {
    /// Who wants to broadcast.
    public let app: AppIdentity
    /// At least one. Only the preferred one where the app has a preference.
    public let services: [BroadcastService]
    /// Whether the person may turn the microphone on and off.
    public let showsMicrophoneButton: Bool
    public let isMicrophoneEnabled: Bool
}

/// What a person has chosen.
public struct BroadcastChoice: Sendable {
    /// The identifier of one of the request's services.
    public var service: String
    public var isMicrophoneEnabled: Bool

    /// - Parameters:
    ///   - service: the identifier of one of the request's services.
    ///   - isMicrophoneEnabled: whether the microphone is to be on. It counts only where the request has `showsMicrophoneButton`.
    public init(service: String, isMicrophoneEnabled: Bool = false) {
        self.service = service
        self.isMicrophoneEnabled = isMicrophoneEnabled
    }
}

/// Fields that a person is to fill in.
public struct BroadcastForm: Sendable, Equatable {
    public let service: BroadcastService
    /// A sentence above the fields; nil: none.
    public let message: String?
    public let fields: [BroadcastField]
}

/// Shows a picker to the person. Calls come one after the other; a call whose task is cancelled throws `cancelled`. The last four methods
/// may be implemented with or without `async`, and all of them but `close` may be left out. A class on the main actor is called there, any
/// other object on any thread.
public protocol BroadcastPresenter: Sendable {
    /// Lets the person choose a service. Throws `BroadcastError.cancelled(by:)` where the person will not, and
    /// `BroadcastError(.noPresenter, …)` where nothing can be shown.
    func chooseService(_ request: BroadcastRequest) async throws(BroadcastError) -> BroadcastChoice

    /// Has the fields filled in. `BroadcastField.problem(with:)` says what is wrong with a value; one that is not corrected ends the
    /// picker with an error. Secrets must not be shown.
    func fillIn(_ form: BroadcastForm) async throws(BroadcastError) -> [String: String]

    /// Shows an address at which the person logs in to the service, and names its host. Open it only when they agree, as by a button:
    /// the service's program made the address, and can put into it what it has read. `cancel` ends the setup, and may be called until
    /// `hideLogin`. The address begins with https. Unless it is implemented, `fillIn` asks whether the desktop's browser opens it.
    func showLogin(_ address: URL, for service: BroadcastService, cancel: @escaping @Sendable () -> Void) async

    /// The person has logged in, or the login is over. Does nothing unless it is implemented.
    func hideLogin() async

    /// The broadcast begins in so many seconds; `cancel` keeps it from beginning, and may be called until `close`. Does nothing
    /// unless it is implemented.
    func showCountdown(_ secondsLeft: Int, cancel: @escaping @Sendable () -> Void) async

    /// The broadcast has started, or will not: nothing is to be seen any more. May come more than once, and without a call before.
    func close() async
}

extension BroadcastPresenter {
    public func showLogin(
        _ address: URL, for service: BroadcastService, cancel: @escaping @Sendable () -> Void
    ) async {
        var field = BroadcastField(
            key: "open", title: "Open \(address.host(percentEncoded: true) ?? "") in the browser", isRequired: true)
        field.kind = .choice([.init(value: "yes"), .init(value: "no")])
        let message = "To log in to \(service.name), \(address.absoluteString) has to be opened."
        let answer = try? await fillIn(BroadcastForm(service: service, message: message, fields: [field]))
        if answer?["open"] == "yes" { Browser.open(address) } else { cancel() }
    }

    public func hideLogin() async {}

    public func showCountdown(_ secondsLeft: Int, cancel: @escaping @Sendable () -> Void) async {}
}

extension BroadcastError {
    /// The error of a presenter whose person has cancelled.
    public static func cancelled(by person: String) -> BroadcastError {
        BroadcastError(.cancelled, "The broadcast was cancelled by \(person).")
    }
}
