// The answer to a request, among what an engine tells all its clients.
import KinePlatform
import KineWire

extension ClientConnection {
    /// Sends a request and waits for its answer, whatever else comes before. Nil where none came in time.
    package func ask(_ request: ClientRequest, id: Int = 1) throws -> Result<EngineReply, Refusal>? {
        try send(request, id: id)
        let deadline = MonotonicClock.now() + RunningKinecast.timeout
        while true {
            let messages = try receive(until: deadline)
            guard !messages.isEmpty else { return nil }
            for case .answer(id: id, let result) in messages { return result }
        }
    }
}
