// One sentence for each error of this target: what happened, on what, and what to do.
import Glibc
import KinePlatform
import KineWire

extension ClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .locator(let error): error.description
        case .engineCannotStart(let executable, .control(let error)):
            "The engine \(executable) cannot be started: \(error)"
        case .engineCannotStart(let executable, .system(let errno)):
            "The engine \(executable) cannot be started: \(errno); check its permissions and ulimit."
        case .otherVersion(let theirs):
            ControlDecoder.Error.version(theirs: theirs).description
        case .noReport(let executable, let option, let ending, let stderrTail):
            "\(executable) \(option) gave no answer (\(ending.sentence))"
                + "\(stderrTail.map { ", its last words: \($0)" } ?? ""); "
                + "try again with \(EngineLog.variable)=1 to see what it says."
        case .noThread(let name, let errno): DedicatedThread.explanation(of: errno, thread: name)
        case .registry(let error): error.description
        case .control(let error): error.description
        case .refused(let refusal): refusal.message
        case .noAnswer(let take):
            "\(take) (process \(take.pid)) does not answer; try again, or "
                + (take.id.map { "kinecast stop --now \($0) ends it and saves what was recorded." }
                    ?? "end the process.")
        case .endedWithoutAnswer(let take):
            "\(take) ended without an answer"
                + (take.output.map { "; if \($0) does not play, kinecast recover finishes it." }
                    ?? "; kinecast status shows what runs.")
        case .takeIsOver: "The take is over; start another."
        case .noLink(let take):
            "Take \(take) has no link; kinecast broadcast without --to starts a broadcast that has one."
        case .recovery(let error): "\(error)."
        case .editing(let failure): failure.message
        case .cancelled: "The request was cancelled."
        }
    }
}

extension ClientError.TakeReference: CustomStringConvertible {
    public var description: String { id.map { "Take \($0)" } ?? "The engine" }
}

extension ChildProcess.Ending {
    /// The end of the process in words, for the middle of a sentence.
    public var sentence: String {
        switch self {
        case .exited(let status): "exit status \(status)"
        case .killed(let signal): "killed by signal \(signal), \(String(cString: strsignal(signal)))"
        }
    }
}
