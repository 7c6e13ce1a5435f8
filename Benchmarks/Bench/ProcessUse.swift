// The cost of processes that run on while they are measured.
import Glibc
import KineMeasure
import KinePlatform

/// The cost of one process in a while.
struct ProcessUse {
    /// Nanoseconds on a processor, of all threads.
    var processor: Int64 = 0
    /// Voluntary context switches of all threads.
    var wakes = 0
    /// Nanoseconds of the while.
    var elapsed: Int64 = 0
    /// Bytes resident at its end.
    var resident = 0

    var percentOfCore: Double { Double(processor) / Double(elapsed) * 100 }
    var wakesPerSecond: Double { Double(wakes) / Double(elapsed) * 1e9 }

    /// Lets the seconds pass, and returns the cost of each process in them.
    static func watch(_ processes: [Int32], seconds: Double) -> [ProcessUse] {
        let before = processes.map {
            (
                processor: processorTime(of: $0),
                wakes: ProcFiles.switches(of: $0, onlyVoluntary: true)
            )
        }
        let start = MonotonicClock.now()
        FrameRhythm.sleep(until: deadline(in: seconds))
        let elapsed = MonotonicClock.now() - start
        return zip(processes, before).map { process, before in
            // A thread that has ended meanwhile does not count.
            let wakes = ProcFiles.switches(of: process, onlyVoluntary: true)
                .reduce(0) { $0 + $1.value - (before.wakes[$1.key] ?? 0) }
            return ProcessUse(
                processor: processorTime(of: process) - before.processor, wakes: wakes,
                elapsed: elapsed, resident: ProcFiles.residentBytes(of: process))
        }
    }

    /// Nanoseconds that a process has had on a processor. Threads that have ended are in it, other than in /proc.
    private static func processorTime(of process: Int32) -> Int64 {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
