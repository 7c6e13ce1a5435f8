// The entry point of all tests. Without this file the build looks for XCTest classes in an index, which costs time with every
// file it compiles, and no test uses XCTest.
//
// `swift test` takes a package with such a file for one that has XCTest alone: it starts the program without an argument, which runs
// the unit tests here. With `--enable-swift-testing` it starts the program for each of the two libraries.
//
// Tests run on threads of their own: Swift's pool has one thread for each core, and a test that waits for a process would keep
// it from every other task.
import CoreTesting
import Glibc
import KinePlatform
import Testing

@main
enum TestRunner {
    static func main() async {
        let arguments = CommandLine.arguments
        guard value(of: "--testing-library") == "swift-testing" || arguments.count == 1 else {
            runXCTest(arguments)
            return
        }
        do {
            try await select(arguments)
        } catch {
            say("\(error)")
            exit(EX_USAGE)
        }
        let status: CInt = await withTaskExecutorPreference(threads) {
            await Testing.__swiftPMEntryPoint()
        }
        if let summary = value(of: "--summary") { say(summary) }
        exit(status)
    }

    /// There are no XCTest classes to list or to run.
    private static func runXCTest(_ arguments: [String]) {
        if arguments.contains("--dump-tests-json") {
            print(#"{"name":"All tests","tests":[]}"#)
        } else {
            say("To filter: scripts/test FILTER, or swift test --enable-swift-testing --filter FILTER.")
        }
    }

    /// Starts this program again with options that swift-testing can apply, if it cannot apply the given ones.
    private static func select(_ arguments: [String]) async throws {
        let options = SelectionOptions(arguments)
        guard options.needsCatalog else { return }
        let catalog = try await TestCatalog.load()
        let selection = try TestSelection(options, from: catalog)
        if options.listsSuites {
            for line in selection.suiteLines { print(line) }
            exit(EXIT_SUCCESS)
        }
        var chosen = options.others + ["--filter", selection.expression(in: catalog)]
        if arguments.count == 1 { chosen += ["--testing-library", "swift-testing"] }
        if options.selectsUnitTests {
            // A test that waits keeps its thread, so several at a time might wait for each other.
            chosen += ["--no-parallel", "--summary", selection.summary]
        }
        execv("/proc/self/exe", chosen.map { strdup($0) } + [nil])
        perror("Starting the selected tests")
        exit(EX_OSERR)
    }

    private static func value(of option: String) -> String? {
        let arguments = CommandLine.arguments
        return arguments.firstIndex(of: option).flatMap { arguments.dropFirst($0 + 1).first }
    }

    /// Prints on standard error, as swift-testing does.
    private static func say(_ sentence: String) {
        let line = Array("\(sentence)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }

    /// Lives as long as the process: tasks that tests leave behind still use the threads.
    private static let threads = TestThreads(count: 12)
}

/// Threads that tests may block.
final class TestThreads: TaskExecutor {
    private let jobs = Monitor<[UnownedJob]>([])
    private let threads: Monitor<[DedicatedThread]> = Monitor([])

    /// `count`: the most tests that can wait at the same time.
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
