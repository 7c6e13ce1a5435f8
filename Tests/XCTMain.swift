// The entry point of all tests. Without this file the build looks for XCTest classes in an index, which costs time with every
// file it compiles, and no test uses XCTest. `swift test` starts the program once for each of the two libraries and names the
// one it means.
//
// Tests run on threads of their own: Swift's pool has one thread for each core, and a test that waits for a process would keep
// it from every other task.
import Glibc
import KinePlatform
import Testing

@main
enum TestRunner {
    static func main() async {
        guard isForSwiftTesting else {
            // There are no XCTest classes to list or to run.
            if CommandLine.arguments.contains("--dump-tests-json") { print(#"{"name":"All tests","tests":[]}"#) }
            return
        }
        let status: CInt = await withTaskExecutorPreference(threads) {
            await Testing.__swiftPMEntryPoint()
        }
        exit(status)
    }

    /// For as long as the process lives: what tests leave behind still uses them.
    private static let threads = TestThreads(count: 12)

    private static var isForSwiftTesting: Bool {
        let arguments = CommandLine.arguments
        guard let option = arguments.firstIndex(of: "--testing-library") else { return false }
        return arguments.dropFirst(option + 1).first == "swift-testing"
    }
}

/// Threads that tests may block.
final class TestThreads: TaskExecutor {
    private let jobs = Monitor<[UnownedJob]>([])
    private let threads: Monitor<[DedicatedThread]> = Monitor([])

    /// As many tests can wait at the same time.
    init(count: Int) {
        for number in 0..<count {
            let thread = DedicatedThread(name: "test-\(number)") { [self] in
                while let job = jobs.wait(for: { $0.isEmpty ? nil : $0.removeFirst() }) {
                    job.runSynchronously(on: asUnownedTaskExecutor())
                }
            }
            threads.withLock { $0.append(thread) }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.signal { $0.append(job) }
    }
}
