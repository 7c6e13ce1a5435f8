// The presenter of an app that gives none.
import FoundationEssentials
import Synchronization

/// A window of the studio where there is a desktop and no terminal, else the terminal. Decided by the first question.
final class UsualPresenter: BroadcastPresenter, PreviewPresenter {
    private let hasDisplay: @Sendable () -> Bool
    private let hasTerminal: @Sendable () -> Bool
    private let chosen = Mutex<(any BroadcastPresenter & PreviewPresenter)?>(nil)

    init(
        hasDisplay: @escaping @Sendable () -> Bool = { Browser.isAvailable },
        hasTerminal: @escaping @Sendable () -> Bool = { TerminalDialog.isAvailable() }
    ) {
        (self.hasDisplay, self.hasTerminal) = (hasDisplay, hasTerminal)
    }

    var presenter: any BroadcastPresenter & PreviewPresenter {
        chosen.withLock { chosen in
            if let chosen { return chosen }
            let presenter: any BroadcastPresenter & PreviewPresenter =
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

    func preview(_ request: PreviewRequest) async throws(RecordingError) -> PreviewResult {
        try await presenter.preview(request)
    }

    func close() async { await chosen.withLock { $0 }?.close() }
}
