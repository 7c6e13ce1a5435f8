// The presenter of an app that gives none.
import FoundationEssentials
import Synchronization

/// A window of the studio where there is a desktop and no terminal, else the terminal. Decided by the first question.
final class UsualPresenter: BroadcastPresenter {
    private let hasDisplay: @Sendable () -> Bool
    private let hasTerminal: @Sendable () -> Bool
    private let chosen = Mutex<(any BroadcastPresenter)?>(nil)

    init(
        hasDisplay: @escaping @Sendable () -> Bool = { Browser.isAvailable },
        hasTerminal: @escaping @Sendable () -> Bool = { TerminalDialog.isAvailable() }
    ) {
        (self.hasDisplay, self.hasTerminal) = (hasDisplay, hasTerminal)
    }

    var presenter: any BroadcastPresenter {
        chosen.withLock { chosen in
            if let chosen { return chosen }
            let presenter: any BroadcastPresenter =
                hasDisplay() && !hasTerminal() ? StudioPresenter() : TerminalPresenter()
            chosen = presenter
            return presenter
        }
    }

    func chooseService(_ request: BroadcastRequest) async throws(BroadcastError) -> BroadcastChoice {
        try await presenter.chooseService(request)
    }

    func fillIn(_ form: BroadcastForm) async throws(BroadcastError) -> [String: String] {
        try await presenter.fillIn(form)
    }

    func showLogin(
        _ address: URL, for service: BroadcastService, cancel: @escaping @Sendable () -> Void
    ) async {
        await presenter.showLogin(address, for: service, cancel: cancel)
    }

    func hideLogin() async { await presenter.hideLogin() }

    func showCountdown(_ secondsLeft: Int, cancel: @escaping @Sendable () -> Void) async {
        await presenter.showCountdown(secondsLeft, cancel: cancel)
    }

    func close() async { await chosen.withLock { $0 }?.close() }
}
