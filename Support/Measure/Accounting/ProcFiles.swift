// What the kernel says of running processes: proc(5). Everything here is a question about one process at one moment;
// a process that has just ended answers nil or nothing.
import Glibc
import KinePlatform
import SystemPackage

public enum ProcFiles {
    /// The children that `process` has now, ended ones that nobody has waited for included.
    public static func children(of process: Int32) -> [Int32] {
        tasks(of: process).flatMap { task in
            read("/proc/\(process)/task/\(task)/children").split(separator: " ").compactMap { Int32($0) }
        }
    }

    /// The name of the program that `process` runs, of at most 15 characters; empty where there is no such process.
    public static func name(of process: Int32) -> String { String(read("/proc/\(process)/comm").prefix { $0 != "\n" }) }

    /// Whether `process` is there and has not ended: one that nobody has waited for does not run.
    public static func isRunning(_ process: Int32) -> Bool {
        state("/proc/\(process)/stat").map { $0 != "Z" && $0 != "X" } ?? false
    }

    /// Whether each thread of `process` stands still after a signal.
    public static func isStopped(_ process: Int32) -> Bool {
        let states = tasks(of: process).map { state("/proc/\(process)/task/\($0)/stat") }
        return !states.isEmpty && states.allSatisfy { $0 == "T" }
    }

    /// The number of the calling thread.
    public static var currentThread: Int32 {
        read("/proc/thread-self/stat").split(separator: " ").first.flatMap { Int32($0) } ?? 0
    }

    /// Whether a thread of this process sleeps until something comes.
    public static func isAsleep(thread: Int32) -> Bool { state("/proc/self/task/\(thread)/stat") == "S" }

    private static func state(_ path: String) -> Substring? {
        // It follows the name, which is in parentheses and may have any characters.
        read(path).split(separator: ")").last?.split(separator: " ").first
    }

    /// Bytes resident, shared pages counted in full.
    public static func residentBytes(of process: Int32) -> Int {
        let fields = read("/proc/\(process)/statm").split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * pageSize
    }

    /// Bytes resident, each shared page divided by the number of processes that share it. Costs the kernel a walk.
    public static func proportionalBytes(of process: Int32) -> Int {
        field("Pss:", in: read("/proc/\(process)/smaps_rollup")).map { $0 * 1024 } ?? 0
    }

    /// Bytes resident that are its own: heap and stacks, not files and not what it shares.
    public static func anonymousBytes(of process: Int32) -> Int {
        field("RssAnon:", in: read("/proc/\(process)/status")).map { $0 * 1024 } ?? 0
    }

    /// Bytes resident that are pages of files: its executable and its libraries, which other processes may share.
    public static func fileBytes(of process: Int32) -> Int {
        field("RssFile:", in: read("/proc/\(process)/status")).map { $0 * 1024 } ?? 0
    }

    /// The most bytes that were ever resident.
    public static func highWaterBytes(of process: Int32) -> Int {
        field("VmHWM:", in: read("/proc/\(process)/status")).map { $0 * 1024 } ?? 0
    }

    /// Nanoseconds on a processor of all threads that `process` has now; nil where the kernel keeps no account.
    public static func processorNanoseconds(of process: Int32) -> Int64? {
        let times = tasks(of: process).compactMap { processorNanoseconds(of: process, thread: $0) }
        return times.isEmpty ? nil : times.reduce(0, +)
    }

    /// Nanoseconds on a processor of each thread that `process` has now, with the name that the thread gave itself.
    public static func processorNanosecondsByThread(of process: Int32) -> [(name: String, nanoseconds: Int64)] {
        tasks(of: process).compactMap { task in
            processorNanoseconds(of: process, thread: task).map {
                (name: String(read("/proc/\(process)/task/\(task)/comm").prefix { $0 != "\n" }), nanoseconds: $0)
            }
        }
    }

    private static func processorNanoseconds(of process: Int32, thread: String) -> Int64? {
        read("/proc/\(process)/task/\(thread)/schedstat").split(separator: " ").first.flatMap { Int64($0) }
    }

    /// How often each thread of `process` was put on a processor again: context switches.
    ///
    /// - Parameter onlyVoluntary: those before which another program took the processor away do not count.
    public static func switches(of process: Int32, onlyVoluntary: Bool = false) -> [Int32: Int] {
        var result: [Int32: Int] = [:]
        for task in tasks(of: process) {
            guard let id = Int32(task) else { continue }
            let status = read("/proc/\(process)/task/\(task)/status")
            result[id] =
                (field("voluntary_ctxt_switches:", in: status) ?? 0)
                + (onlyVoluntary ? 0 : field("nonvoluntary_ctxt_switches:", in: status) ?? 0)
        }
        return result
    }

    /// The processor's name and how many there are.
    public static func processor() -> (model: String, count: Int) {
        let lines = read("/proc/cpuinfo").split(separator: "\n").filter { $0.hasPrefix("model name") }
        let model = lines.first.flatMap { $0.split(separator: ":").last } ?? "unknown"
        return (String(model.drop { $0 == " " }), max(1, lines.count))
    }

    /// A small file's whole text; empty where it cannot be read.
    public static func read(_ path: String) -> String {
        (try? Tool.contents(of: path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// The numbers of its threads.
    private static func tasks(of process: Int32) -> [String] {
        PrivateDirectory.entries(FilePath("/proc/\(process)/task"))
    }

    /// The number behind `key` at a line's start.
    private static func field(_ key: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") where line.hasPrefix(key) {
            return line.dropFirst(key.count).split { $0 == " " || $0 == "\t" }.first.flatMap { Int($0) }
        }
        return nil
    }
}
