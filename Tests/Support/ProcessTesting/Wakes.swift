// How often processes are woken, which is what an idle program costs.
import KineMeasure

package enum Wakes {
    /// How often a thread of these processes has given the processor up and was woken again. That another program took it away is no
    /// wake-up.
    package static func count(of processes: [Int32]) -> Int {
        var count = 0
        for process in processes {
            for thread in ProcFiles.switches(of: process).keys {
                let lines = ProcFiles.read("/proc/\(process)/task/\(thread)/status").split(separator: "\n")
                let line = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }
                count += line.flatMap { Int($0.drop { !$0.isNumber }) } ?? 0
            }
        }
        return count
    }
}
