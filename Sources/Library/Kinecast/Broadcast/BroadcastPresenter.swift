// The interface between a picker and the code that shows it: a terminal, a window of the app, a page.
import FoundationEssentials
import KineMedia
import KineText

/// The choices that a picker offers to the person.
public struct BroadcastRequest: Sendable {
    /// The app that wants to broadcast.
    public let app: AppIdentity
    /// At least one; only the preferred service if the app has set one.
    public let services: [BroadcastService]
    /// Whether the person may turn the microphone on and off.
    public let showsMicrophoneButton: Bool
    public let isMicrophoneEnabled: Bool
}

/// The person's choice.
public struct BroadcastChoice: Sendable {
    /// The identifier of one of the request's services.
    public var service: String
    public var isMicrophoneEnabled: Bool

    /// - Parameters:
    ///   - service: the identifier of one of the request's services.
    ///   - isMicrophoneEnabled: ignored unless the request has `showsMicrophoneButton`.
    public init(service: String, isMicrophoneEnabled: Bool = false) {
        self.service = service
        self.isMicrophoneEnabled = isMicrophoneEnabled
    }
}

/// The fields that the person should fill in.
public struct BroadcastForm: Sendable, Equatable {
    public let service: BroadcastService
    /// A sentence to show above the fields.
    public let message: String?
    public let fields: [BroadcastField]
}

/// Shows a picker to the person. Calls never overlap; a call whose task is cancelled throws `cancelled`. The last four
/// methods may be implemented with or without `async`, and all of them but `close` are optional. A class on the main
/// actor is called there, any other object on any thread.
public protocol BroadcastPresenter: Sendable {
    /// Lets the person choose a service. Throws `BroadcastError.cancelled(by:)` if the person cancels, and
    /// `BroadcastError(.noPresenter, …)` if nothing can be shown.
    func chooseService(_ request: BroadcastRequest) async throws(BroadcastError) -> BroadcastChoice

    /// Lets the person fill in the fields. Check values with `BroadcastField.problem(with:)`: an invalid value ends the
    /// picker with an error. Do not show secrets.
    func fillIn(_ form: BroadcastForm) async throws(BroadcastError) -> [String: String]

    /// Shows an address at which the person logs in to the service, and names its host. Open it only when the person
    /// agrees: the service's program made it, and may have put data into it. `cancel` ends the setup, and may be called
    /// until `hideLogin`. The address is https. By default `fillIn` asks whether to open it in the desktop's browser.
    func showLogin(_ address: URL, for service: BroadcastService, cancel: @escaping @Sendable () -> Void) async

    /// The person has logged in, or the login has ended. Does nothing by default.
    func hideLogin() async

    /// The broadcast begins in this many seconds. `cancel` prevents that, and may be called until `close`. Does nothing
    /// by default.
    func showCountdown(_ secondsLeft: Int, cancel: @escaping @Sendable () -> Void) async

    /// Removes everything shown. Called once the broadcast has started or will not, perhaps repeatedly.
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
    /// The error to throw when the person cancels in a presenter.
    public static func cancelled(by person: String) -> BroadcastError {
        BroadcastError(.cancelled, "The broadcast was cancelled by \(person).")
    }
}
