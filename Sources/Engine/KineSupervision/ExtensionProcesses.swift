// The processes of one destination: the running one, and ended ones whose descendants may still run.
import KinePlatform

/// Keeps every process of an extension until all its descendants have ended. Used by the main thread.
struct ExtensionProcesses {
    /// The nanoseconds that `abandon` waits at most.
    private static let abandonTimeout: Int64 = 2_000_000_000

    private(set) var current: ExtensionProcess?
    /// Reaped processes that may have left descendants behind.
    private var reaped: [ExtensionProcess] = []
    /// The number of processes started, those included that could not be executed.
    private(set) var runs = 0
    private var checks: CheckSchedule

    /// - Parameter memoryLimit: of a process with its descendants, in bytes.
    init(memoryLimit: Int) { checks = CheckSchedule(memoryLimit: memoryLimit) }

    /// No process is left, and no descendant of one.
    var areGone: Bool { current == nil && reaped.isEmpty }

    /// The instant from which on to call `check`, nanoseconds of CLOCK_MONOTONIC; nil: nothing is left to check.
    var nextCheck: Int64? { checks.next }

    /// Counts a start before it is tried. Returns the new process's number, from 1.
    mutating func beginRun() -> Int {
        runs += 1
        return runs
    }

    mutating func started(_ process: ExtensionProcess, at now: Int64) {
        current = process
        checks.processStarted(at: now)
    }

    /// Call when `poll` of the current process has returned its end and its last reports are read.
    mutating func currentExited(at now: Int64) {
        retireCurrent()
        checks.processExited(at: now)
    }

    private mutating func retireCurrent() {
        if let process = current.take() { reaped.append(process) }
    }

    /// Kills what reaped processes have left behind, and measures the running process with its descendants: memory in
    /// bytes, and threads. Nil: no process runs.
    mutating func check(at now: Int64) -> (process: ExtensionProcess, resident: Int, threads: Int)? {
        reaped.removeAll { $0.clear() }
        guard let process = current else {
            checks.cleared(isDone: reaped.isEmpty, at: now)
            return nil
        }
        let (resident, threads) = process.usage()
        checks.measured(resident, at: now)
        return (process, resident, threads)
    }

    /// Kills all processes because the engine exits. Waits at most two seconds for their end.
    mutating func abandon() {
        let deadline = MonotonicClock.now() + Self.abandonTimeout
        current?.kill()
        while let process = current, MonotonicClock.now() < deadline {
            if process.poll() != nil {
                retireCurrent()
            } else {
                _ = WakeSignal.poll([process.exitDescriptor], until: deadline)
            }
        }
        while !reaped.isEmpty, MonotonicClock.now() < deadline {
            reaped.removeAll { $0.clear() }
            if !reaped.isEmpty {
                _ = WakeSignal.poll([], until: MonotonicClock.now() + CheckSchedule.closeInterval)
            }
        }
    }
}

/// Decides when the processes of an extension are checked: closely after a start, while memory grows fast or runs out,
/// and while descendants of a reaped process are left. Pure. Instants and intervals are nanoseconds, memory is bytes.
struct CheckSchedule {
    static let closeInterval: Int64 = 10_000_000
    private static let interval: Int64 = 80_000_000
    /// The growth between two checks from which on checks are close.
    private static let fastGrowth = 4 << 20

    /// The instant of the next check, if one is needed.
    private(set) var next: Int64?
    private let memoryLimit: Int
    private var lastResident = 0

    init(memoryLimit: Int) { self.memoryLimit = memoryLimit }

    mutating func processStarted(at now: Int64) {
        lastResident = 0
        next = now + Self.closeInterval
    }

    mutating func processExited(at now: Int64) { next = now }

    /// No process runs. `isDone`: no descendants are left either.
    mutating func cleared(isDone: Bool, at now: Int64) { next = isDone ? nil : now + Self.closeInterval }

    /// A process runs, and uses `resident` with its descendants.
    mutating func measured(_ resident: Int, at now: Int64) {
        let isClose = resident - lastResident > Self.fastGrowth || resident * 10 > memoryLimit * 6
        lastResident = resident
        next = now + (isClose ? Self.closeInterval : Self.interval)
    }
}
