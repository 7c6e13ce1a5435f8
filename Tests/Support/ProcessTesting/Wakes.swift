// How often processes are woken, which is what an idle program costs.
import KineMeasure

package enum Wakes {
    /// How often a thread of these processes has given the processor up and was woken again. That another program took it away is no
    /// wake-up.
    package static func count(of processes: [Int32]) -> Int {
        processes.reduce(0) { $0 + ProcFiles.switches(of: $1, onlyVoluntary: true).values.reduce(0, +) }
    }
}
