// The memory that one input takes, as the kernel counts it.
import Glibc

public enum Peak {
    /// Runs `body`, and traps if this process meanwhile had `most` bytes more in memory than before.
    public static func check(atMost most: Int, _ body: () -> Void) {
        let peak = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        // Sets the peak to what is in memory now (proc(5)).
        precondition(peak >= 0 && write(peak, "5", 1) == 1, "the peak of memory cannot be set: \(errno)")
        close(peak)
        let before = bytes("VmRSS:")
        body()
        let more = bytes("VmHWM:") - before
        precondition(more <= most, "\(more) bytes of memory, at most \(most)")
    }

    private static func bytes(_ name: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { preconditionFailure("no /proc/self/status: \(errno)") }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix(name) else { continue }
            return (Int(text.filter(\.isNumber)) ?? 0) << 10
        }
        preconditionFailure("/proc/self/status has no \(name)")
    }
}
