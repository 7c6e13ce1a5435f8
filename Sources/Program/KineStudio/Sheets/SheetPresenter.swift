// The questions of a setup program that this studio starts, in a sheet of its own: no connection lies between.
import FoundationEssentials
import KineClient
import KinePlatform
import KineText
import KineWire
import Kinecast
import Synchronization

/// Any thread may call.
final class SheetPresenter: BroadcastPresenter {
    private struct State {
        /// Gets the reply to the question that is shown.
        var reply: Promise<StudioReply>?
        /// Cancels the login that is shown.
        var cancel: (@Sendable () -> Void)?
        /// The reply that has ended the sheet.
        var end: StudioReply?
    }

    let id = RandomToken().description
    private let sheets: Sheets
    private let state = Mutex(State())

    /// Throws if there are too many sheets.
    init(_ app: SheetApp, in sheets: Sheets) throws(BroadcastError) {
        self.sheets = sheets
        guard sheets.begin(id, app, .studio { [weak self] in self?.received($0) }, at: MonotonicClock.now()) else {
            throw BroadcastError(.noPresenter, "Too many windows ask for settings; close one, and try again.")
        }
    }

    func chooseService(_ request: BroadcastRequest) async throws(BroadcastError) -> BroadcastChoice {
        try request.choice(in: try await ask(SheetPrompt(request)))
    }

    func fillIn(_ form: BroadcastForm) async throws(BroadcastError) -> [String: String] {
        try form.values(in: try await ask(SheetPrompt(form)))
    }

    func showLogin(_ address: URL, for service: BroadcastService, cancel: @escaping @Sendable () -> Void) async {
        let end = state.withLock { state in
            (state.reply, state.cancel) = (nil, cancel)
            return state.end
        }
        guard end == nil else { return cancel() }
        show(.login(service: service.name, address: address.absoluteString))
    }

    func hideLogin() {
        state.withLock { $0.cancel = nil }
        show(.waiting)
    }

    func close() { sheets.receive(.close, of: id, at: MonotonicClock.now()) }

    private func ask(_ prompt: SheetPrompt) async throws(BroadcastError) -> SheetAnswer {
        let reply = Promise<StudioReply>()
        let end = state.withLock { state in
            (state.reply, state.cancel) = (reply, nil)
            return state.end
        }
        if let end { return try Self.answer(in: end) }
        show(prompt)
        guard let given = await reply.value() else {
            close()
            throw .cancelled
        }
        return try Self.answer(in: given)
    }

    private static func answer(in reply: StudioReply) throws(BroadcastError) -> SheetAnswer {
        switch reply {
        case .answer(let answer): return try answer.checked()
        case .refused(let sentence): throw BroadcastError(.noPresenter, sentence)
        case .link, .perform, .stop: throw .cancelled
        }
    }

    private func show(_ prompt: SheetPrompt) { sheets.receive(.show(prompt), of: id, at: MonotonicClock.now()) }

    private func received(_ given: StudioReply) {
        let (reply, cancel) = state.withLock { state in
            defer { (state.reply, state.cancel) = (nil, nil) }
            switch given {
            case .answer(.service), .answer(.values): break
            default: state.end = state.end ?? given
            }
            return (state.reply, state.end == nil ? nil : state.cancel)
        }
        reply?.fulfil(given)
        cancel?()
    }
}
