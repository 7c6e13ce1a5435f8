// The answer to a request, among what an engine tells all its clients.
import KineControl
import KinePlatform

extension ClientConnection {
    /// The first message that is neither an event of a destination nor a warning: on a busy machine, they may come before. Nil where none
    /// came in time.
    package func answer() throws -> EngineMessage? {
        let deadline = MonotonicClock.now() + RunningKinecast.patience
        while true {
            let messages = try receive(until: deadline)
            guard !messages.isEmpty else { return nil }
            for message in messages {
                switch message {
                case .destination, .warning: continue
                default: return message
                }
            }
        }
    }
}
