// Why a request to a take's engine has no answer.
import KineWire

package enum RequestError: Error, Equatable, Sendable {
    /// The take cannot be found, or several takes match.
    case registry(TakeRegistry.Error)
    /// The connection to the engine failed.
    case control(ControlError)
    /// The engine refused the request.
    case refused(Refusal)
    /// The engine did not answer in time.
    case noAnswer(TakeRecord)
    /// The engine ended before it had answered.
    case endedWithoutAnswer(TakeRecord)
    /// The take is over.
    case takeIsOver
}

extension RequestError: CustomStringConvertible {
    /// One sentence: what happened, on what, and what to do.
    package var description: String {
        switch self {
        case .registry(let error): error.description
        case .control(let error): error.description
        case .refused(let refusal): refusal.message
        case .noAnswer(let take):
            "Take \(take.id) (process \(take.pid)) does not answer; try again, or kinecast stop --now \(take.id) ends it and saves "
                + "what was recorded."
        case .endedWithoutAnswer(let take):
            "Take \(take.id) ended without an answer"
                + (take.output.map { "; if \($0) does not play, kinecast recover finishes it." }
                    ?? "; kinecast status shows what runs.")
        case .takeIsOver: "The take is over; start another."
        }
    }
}
