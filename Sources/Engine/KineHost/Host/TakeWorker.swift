// The thread for slow work: starting private servers, opening audio, finishing the file. The host's loop goes on meanwhile.
import KinePlatform
import SystemPackage

/// Carries out jobs one after the other, in a thread that exists from the start: a process that may have no more threads still
/// finishes its file. The thread lives as long as the process, since the servers that it starts end with it.
final class TakeWorker: Sendable {
    private let jobs: Monitor<[@Sendable () -> Void]>

    init() throws(Errno) {
        let jobs = Monitor<[@Sendable () -> Void]>([])
        self.jobs = jobs
        _ = try DedicatedThread(starting: "take") {
            while let job = jobs.wait(for: { $0.isEmpty ? nil : $0.removeFirst() }) { job() }
        }
    }

    func perform(_ job: @escaping @Sendable () -> Void) { jobs.signal { $0.append(job) } }
}
