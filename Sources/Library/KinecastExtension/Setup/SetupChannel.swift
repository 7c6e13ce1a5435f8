// A setup program's end of its control channel: a thread reads the client's messages, and tasks wait for them.
import Glibc
import KinePlatform
import KineWire
import Synchronization
import SystemPackage

final class SetupChannel: Sendable {
    private struct State {
        var start: SetupStart?
        var startWaiter: CheckedContinuation<SetupStart, Never>?
        /// Answers that no task has waited for yet, by the question's number.
        var answers: [Int: [String: String]] = [:]
        var answerWaiters: [Int: CheckedContinuation<[String: String], Never>] = [:]
    }

    private let connection: SetupProgramConnection
    private let state = Mutex(State())

    init(adopting descriptor: FileDescriptor) throws {
        connection = try SetupProgramConnection(adopting: descriptor)
        _ = try DedicatedThread(starting: "control") { [self] in
            while let requests = try? connection.receive(until: .max) { requests.forEach(received) }
            // The client has closed the connection.
            _exit(0)
        }
    }

    private func received(_ request: SetupRequest) {
        switch request {
        case .start(let start):
            state.withLock { state in
                state.start = start
                return state.startWaiter.take()
            }?.resume(returning: start)
        case .answers(let answers, let question):
            state.withLock { state -> CheckedContinuation<[String: String], Never>? in
                if let waiter = state.answerWaiters.removeValue(forKey: question) { return waiter }
                state.answers[question] = answers
                return nil
            }?.resume(returning: answers)
        case .cancel: _exit(0)
        case .unknown: break
        }
    }

    func send(_ report: SetupReport) {
        if let reason = connection.deliver(report) { _ = connection.deliver(.failed(reason)) }
    }

    /// Waits until the client has read everything, at most five seconds.
    func drain() { _ = connection.drain(until: MonotonicClock.now() + 5_000_000_000) }

    func start() async -> SetupStart {
        await withCheckedContinuation { continuation in
            let start = state.withLock { state in
                if state.start == nil { state.startWaiter = continuation }
                return state.start
            }
            if let start { continuation.resume(returning: start) }
        }
    }

    func answers(to question: Int) async -> [String: String] {
        await withCheckedContinuation { continuation in
            let answers = state.withLock { state -> [String: String]? in
                if let answers = state.answers.removeValue(forKey: question) { return answers }
                state.answerWaiters[question] = continuation
                return nil
            }
            if let answers { continuation.resume(returning: answers) }
        }
    }
}
