// The clips that clients have requested. Each client gets the answer to its own request.
import KineContainers
import KineMedia
import KinePlatform
import KineTake
import KineWire

/// Used by the main thread.
final class ClipExports {
    /// An answer for the main thread.
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

// The refusals of clips that cannot be made.
extension Refusal {
    init(_ error: ClipError) {
        switch error {
        case .notBuffering:
            self.init(.notBuffering, "The take has no clip buffer; start one with kinecast record --clip-buffer 30s.")
        case .exportInProgress:
            self.init(
                .exportInProgress, "A clip of this take is being written; try again when it is finished.")
        case .nothingCaptured:
            self.init(.noClip, "Nothing was captured yet, so there is no clip; try again in a moment.")
        case .over: self.init(.noClip, "The take is over, and its clip buffer with it; start another.")
        case .storage(.full(let path)):
            self.init(
                .storageFailed, "The clip \(path) does not fit on its disk, and nothing of it was kept; make room.")
        case .storage(let error):
            let isUnmade = if case .inUse = error { true } else { error.isCreationFailure }
            self.init(
                isUnmade ? .cannotCreate : .storageFailed, "\(error.description).", alternative: error.alternative)
        case .thread(let error): self.init(.noClip, DedicatedThread.explanation(of: error, thread: "clip"))
        }
    }

    /// The refusal of an invalid request; nil: it is valid.
    static func problem(of request: ClipRequest) -> Refusal? {
        guard request.output.hasPrefix("/"), !request.output.utf8.contains(0) else {
            return Refusal(.invalidRequest, TakeConfiguration.Problem.unusablePath(request.output).description)
        }
        if let duration = request.duration, duration <= .zero {
            return Refusal(
                .invalidRequest, "A clip of \(duration.seconds) s cannot be made; give a duration of more than 0.")
        }
        return nil
    }
}
