// The signals of `record` and `broadcast`, and what each of them asks for.
import Glibc
import KinePlatform

/// Used on the main thread.
struct TakeSignals {
    enum Request {
        /// Stop this job by the signal, after Ctrl-Z or when it uses the terminal from the background.
        case suspend(Int32)
        /// End the take.
        case end
        /// A child process has ended.
        case childEnded
    }

    /// The terminal signals that stop a job.
    private static let stopSignals = [SIGTSTP, SIGTTIN, SIGTTOU]

    /// The signals that this process was started to ignore, for example by nohup. COMMAND ignores them too.
    let inheritedIgnored: [Int32]
    private let signals: SignalDescriptor
    /// Whether a signal has asked for the end.
    private(set) var isInterrupted = false

    /// From here on, this object receives the signals.
    init() {
        // The root command itself ignores SIGXFSZ.
        inheritedIgnored = SignalDescriptor.ignored(among: Array(1..<32)).filter { ![SIGCHLD, SIGXFSZ].contains($0) }
        // A shell starts background jobs with SIGINT ignored, but `kill -INT` must end them too. SIGHUP stays ignored
        // after nohup. A reader that closes its pipe must not end the take by SIGPIPE.
        for signal in [SIGINT, SIGTERM, SIGCHLD] { Glibc.signal(signal, SIG_DFL) }
        Glibc.signal(SIGPIPE, SIG_IGN)
        signals = SignalDescriptor([SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGCHLD] + Self.stopSignals)
    }

    /// For poll: readable while a signal is pending.
    var descriptor: Int32 { signals.descriptor }

    /// Reads a signal; nil if none is pending.
    mutating func next() -> Request? {
        guard let signal = signals.next() else { return nil }
        if Self.stopSignals.contains(signal) { return .suspend(signal) }
        if signal == SIGCHLD { return .childEnded }
        isInterrupted = true
        return .end
    }

    /// Reads the signals before or after the take. Returns true if one of them asks for the end.
    mutating func readUntilEnd() -> Bool {
        while let request = next() {
            switch request {
            case .suspend(let signal): suspend(by: signal)
            case .end: return true
            case .childEnded: break
            }
        }
        return false
    }

    /// Stops this process by the signal. Returns when it continues.
    func suspend(by signal: Int32) { signals.takeDefaultAction(of: signal) }
}
