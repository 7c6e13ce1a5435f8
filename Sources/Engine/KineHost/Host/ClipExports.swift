// The clips that clients have asked for: each gets the answer to its own request.
import KineMedia
import KineTake
import KineWire

/// Used by the main thread.
final class ClipExports {
    /// An answer on its way to the main thread.
    struct Delivery: Sendable {
        let number: Int
        let result: Result<ExportedClip, ClipError>
    }

    private let inbox: Inbox
    private var waiting = PendingRequests<Asker>()

    init(inbox: Inbox) { self.inbox = inbox }

    /// `take`: nil while it is being opened.
    func add(_ request: ClipRequest, for asker: Asker, in take: Take?, isPaused: Bool, at now: Int64) {
        if let problem = Refusal.problem(of: request) { return asker.answer(.failure(problem)) }
        guard let take else { return asker.answer(.failure(Refusal(.nothingCaptured))) }
        let number = waiting.add(asker)
        take.exportClip(request, isPaused: isPaused, at: now) { [inbox] result in
            inbox.post(.clip(Delivery(number: number, result: result)))
        }
    }

    func deliver(_ delivery: Delivery) {
        waiting.remove(delivery.number)?.answer(delivery.result.map(EngineReply.clip).mapError(Refusal.init))
    }
}
