// One program with all its descendants, run to its end and accounted for: nothing that it starts escapes, because this
// process is its descendants' subreaper, and nothing is counted twice, because each is counted by the process that waits for it.
import CLinux
import Glibc
import KinePlatform
import SystemPackage

/// What a program and its descendants took.
public struct ProcessCost: Equatable, Sendable {
    /// Seconds on a processor, in user mode and in the kernel, of every process of the tree.
    public var processorSeconds = 0.0
    /// Seconds from the start until the last process of the tree was gone.
    public var elapsedSeconds = 0.0
    /// The largest sum of all processes' resident bytes at one moment; shared pages count for each that has them.
    public var peakResidentBytes = 0
    /// The same with each shared page divided by how many share it.
    public var peakProportionalBytes = 0
    /// The sum of each process's own peak, whenever it was: an upper bound that no sampling can miss.
    public var highWaterBytes = 0
    /// How often a second a thread of the tree was woken or preempted, over the middle half of the run.
    public var wakesPerSecond = 0.0
    public var ending = ChildProcess.Ending.exited(status: 0)

    public init() {}

    /// One `name=value` each; seconds, bytes and counts a second.
    public var lines: [String] {
        [
            "processorSeconds=\(processorSeconds)", "elapsedSeconds=\(elapsedSeconds)",
            "peakResidentBytes=\(peakResidentBytes)", "peakProportionalBytes=\(peakProportionalBytes)",
            "highWaterBytes=\(highWaterBytes)", "wakesPerSecond=\(wakesPerSecond)",
        ]
    }
}

/// Keeps the account. Only for a process that does nothing else with children meanwhile: it adopts orphans from then on,
/// and takes every child that it did not have at the start for one of the tree. Others run `kinecast-account`.
public enum MeasuredProcess {
    /// Seconds between two looks at the tree.
    private static let interval: Int64 = 50_000_000

    /// Runs `executable` and waits until it and every descendant are gone.
    /// - Parameters:
    ///   - arguments: without the program's own name.
    ///   - environment: the whole environment, `NAME=value` each.
    ///   - output: becomes standard output and standard error.
    ///   - expectedSeconds: how long it will run; wakes are counted between a quarter and three quarters of it.
    public static func run(
        _ executable: String, _ arguments: [String], environment: [String], output: FileDescriptor,
        expectedSeconds: Double
    ) throws -> ProcessCost {
        guard kine_become_subreaper() == 0 else {
            throw Tool.Error.system(doing: "Becoming a subreaper", Errno(rawValue: errno))
        }
        var options = ChildProcess.Options()
        options.descriptors = [nil, output, output]
        options.newProcessGroup = true
        let besides = Set(ProcFiles.children(of: getpid()))
        let start = MonotonicClock.now()
        let child: ChildProcess
        do {
            child = try ChildProcess(
                executable: executable, arguments: arguments, environment: environment, options: options)
        } catch {
            throw Tool.Error.system(doing: "Starting \(executable)", error)
        }
        var watch = Watch(main: child.pid, besides: besides, start: start, expectedSeconds: expectedSeconds)
        let deadline = start + Int64((expectedSeconds * 3 + 30) * 1e9)
        while watch.look() {
            if MonotonicClock.now() > deadline { watch.kill() }
            var pause = timespec(tv_sec: 0, tv_nsec: Int(interval))
            nanosleep(&pause, nil)
        }
        return watch.cost
    }

    /// The tree between two looks.
    private struct Watch {
        let main: Int32
        /// Children of this process that do not belong to the tree.
        let besides: Set<Int32>
        let start: Int64
        let expectedSeconds: Double
        var cost = ProcessCost()

        private var looks = 0
        private var highWater: [Int32: Int] = [:]
        private var before: (instant: Int64, counts: [Int32: Int])?
        private var isCounted = false

        init(main: Int32, besides: Set<Int32>, start: Int64, expectedSeconds: Double) {
            self.main = main
            self.besides = besides
            self.start = start
            self.expectedSeconds = expectedSeconds
        }

        /// Reaps what has ended and looks at the rest; false once nothing is left.
        mutating func look() -> Bool {
            let roots = ProcFiles.children(of: getpid()).filter { !besides.contains($0) }
            let running = roots.filter { !reap($0) }
            guard !running.isEmpty else {
                cost.elapsedSeconds = Double(MonotonicClock.now() - start) / 1e9
                cost.highWaterBytes = highWater.values.reduce(0, +)
                return false
            }
            let tree = descendants(of: running)
            cost.peakResidentBytes = max(
                cost.peakResidentBytes, tree.reduce(0) { $0 + ProcFiles.residentBytes(of: $1) })
            for process in tree {
                highWater[process] = max(highWater[process] ?? 0, ProcFiles.highWaterBytes(of: process))
            }
            if looks % 10 == 0 {
                cost.peakProportionalBytes = max(
                    cost.peakProportionalBytes, tree.reduce(0) { $0 + ProcFiles.proportionalBytes(of: $1) })
            }
            looks += 1
            countWakes(of: tree)
            return true
        }

        func kill() {
            for process in descendants(of: ProcFiles.children(of: getpid()).filter({ !besides.contains($0) })) {
                ProcessHandle(process)?.signal(SIGKILL)
            }
        }

        /// True where `process` has ended; its account, which has in it what it waited for itself, is added.
        private mutating func reap(_ process: Int32) -> Bool {
            var status: Int32 = 0
            var usage = rusage()
            guard wait4(process, &status, WNOHANG, &usage) == process else { return false }
            cost.processorSeconds += seconds(usage.ru_utime) + seconds(usage.ru_stime)
            if process == main {
                cost.ending =
                    status & 0x7f == 0 ? .exited(status: (status >> 8) & 0xff) : .killed(signal: status & 0x7f)
            }
            return true
        }

        private func descendants(of roots: [Int32]) -> [Int32] {
            var all = roots
            var next = 0
            while next < all.count {
                all += ProcFiles.children(of: all[next])
                next += 1
            }
            return all
        }

        private mutating func countWakes(of tree: [Int32]) {
            let now = MonotonicClock.now()
            let share = Double(now - start) / (expectedSeconds * 1e9)
            func counts() -> [Int32: Int] {
                tree.reduce(into: [:]) { $0.merge(ProcFiles.switches(of: $1)) { first, _ in first } }
            }
            if let before {
                guard share >= 0.75, !isCounted else { return }
                isCounted = true
                var wakes = 0
                for (thread, count) in counts() { wakes += count - (before.counts[thread] ?? 0) }
                cost.wakesPerSecond = Double(wakes) / (Double(now - before.instant) / 1e9)
            } else if share >= 0.25 {
                before = (now, counts())
            }
        }

        private func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    }
}
