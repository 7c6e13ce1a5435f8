// Parses the files of a process in /proc (proc(5)) and returns values. The process chooses some of the bytes, its name
// and its environment, so no field is trusted.

public enum ProcessText {
    /// The number at the start of a text, of at most 18 digits; 0 if there is none.
    public static func number(in text: UnsafeRawBufferPointer) -> Int {
        var number = 0
        for byte in text.prefix(18) {
            guard (0x30...0x39).contains(byte) else { break }
            number = number * 10 + Int(byte - 0x30)
        }
        return number
    }

    /// The processes in /proc/PID/task/TID/children, each followed by a space. Leaves out a number that is cut off, and
    /// 0 and negative ones, which mean process groups to kill(2).
    public static func processes(inChildren text: UnsafeRawBufferPointer) -> [Int32] {
        var processes: [Int32] = []
        var rest = text[...]
        while let space = rest.firstIndex(of: UInt8(ascii: " ")) {
            let process = Int32(exactly: number(in: UnsafeRawBufferPointer(rebasing: rest[..<space]))) ?? 0
            if process > 0 { processes.append(process) }
            rest = rest[(space + 1)...]
        }
        return processes
    }

    /// More than any process has, so that the sum over all processes cannot overflow.
    private static let mostBytes = 1 << 48

    /// Memory and threads by /proc/PID/status. Bytes: resident memory, private and shared, swap, and page tables, which
    /// can be large for pages that are not resident. A process that has ended has no bytes and one thread.
    public static func usage(inStatus text: UnsafeRawBufferPointer) -> (bytes: Int, threads: Int) {
        var (bytes, threads) = (0, 0)
        var rest = text[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            let digits = UnsafeRawBufferPointer(rebasing: line.drop { !(0x30...0x39).contains($0) })
            let value = min(number(in: digits), mostBytes >> 10)
            let isMemory = ["VmRSS:", "VmSwap:", "VmPTE:"].contains { line.starts(with: $0.utf8) }
            if isMemory { bytes = min(bytes + value << 10, mostBytes) }
            if line.starts(with: "Threads:".utf8) { threads = value }
        }
        return (bytes, threads)
    }

    /// Whether /proc/PID/stat belongs to a process that has ended; also true if the text is empty or malformed.
    public static func isZombie(inStat text: [UInt8]) -> Bool {
        guard let fields = fieldsBehindName(text), let state = fields.first else { return true }
        return state == [UInt8(ascii: "Z")]
    }

    /// The addresses of the arguments in the process's memory by /proc/PID/stat (fields 48 and 49); nil if it has none.
    public static func argumentRange(inStat text: [UInt8]) -> Range<Int>? {
        // Field 3 is the first after the name.
        guard let fields = fieldsBehindName(text), fields.count > 46,
            let start = Int(String(decoding: fields[45], as: UTF8.self)),
            let end = Int(String(decoding: fields[46], as: UTF8.self)), start > 0, end > start
        else { return nil }
        return start..<end
    }

    /// The name is in parentheses and may contain some itself.
    private static func fieldsBehindName(_ stat: [UInt8]) -> [ArraySlice<UInt8>]? {
        guard let close = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        return stat[(close + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
    }

    /// `NoNewPrivs` in /proc/PID/status: whether the process can gain no more rights; nil if the line is missing.
    public static func hasNoNewPrivileges(inStatus text: [UInt8]) -> Bool? {
        let key = Array("NoNewPrivs:\t".utf8)
        guard let line = text.split(separator: UInt8(ascii: "\n")).first(where: { $0.starts(with: key) }) else {
            return nil
        }
        return line.dropFirst(key.count) == [UInt8(ascii: "1")]
    }

    public static func variable(_ name: String, inEnvironment text: [UInt8]) -> String? {
        let key = Array("\(name)=".utf8)
        return text.split(separator: 0).first { $0.starts(with: key) }
            .map { String(decoding: $0.dropFirst(key.count), as: UTF8.self) }
    }

    /// The process's group in the tree of cgroups v2, from its root, by /proc/PID/cgroup. Nil without one, and if the
    /// group is outside the part of the tree that this process sees (cgroup_namespaces(7)).
    public static func group(inCgroup text: String) -> String? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return nil }
        let path = line.dropFirst(3)
        return path.split(separator: "/").contains("..") ? nil : String(path)
    }
}
