// The clips that clients have asked for: each gets the answer to its own request.
import KineControl

/// Used by the main thread.
final class ClipExports {
    /// An answer on its way to the main thread.
    struct Delivery: Sendable {
        let number: Int
        let answer: ClipAnswer
    }

    private let inbox: Inbox
    private var waiting: [Int: EngineConnection] = [:]
    private var lastNumber = 0

    init(inbox: Inbox) { self.inbox = inbox }

    /// `take`: nil while it is being opened.
    func add(_ request: ClipRequest, for client: EngineConnection, in take: Take?, isPaused: Bool, at now: Int64) {
        guard let take else {
            return send(.failed(.empty), to: client, id: request.id)
        }
        lastNumber += 1
        let number = lastNumber
        waiting[number] = client
        take.exportClip(request, isPaused: isPaused, at: now) { [inbox] result in
            inbox.post(.clip(Delivery(number: number, answer: ClipAnswer(id: request.id, result: result))))
        }
    }

    func deliver(_ delivery: Delivery) {
        guard let client = waiting.removeValue(forKey: delivery.number) else { return }
        send(delivery.answer.result, to: client, id: delivery.answer.id)
    }

    /// A client that is gone needs no answer.
    private func send(_ result: ClipAnswer.Result, to client: EngineConnection, id: Int) {
        client.tell(.clip(ClipAnswer(id: id, result: result)))
    }
}
