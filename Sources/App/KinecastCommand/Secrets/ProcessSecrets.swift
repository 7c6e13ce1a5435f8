// Keeps secrets out of what other programs can see of this process: its arguments, environment and memory. Linux.
import CLinux
import Glibc
import KinePlatform

/// Removes secrets from the places in which this process was given them. Copies remain in its memory, which `forbidDump`
/// closes to other processes.
enum ProcessSecrets {
    /// Overwrites these texts where they stand in the list of processes.
    static func hideFromArguments(_ secrets: [String]) {
        guard let range = argumentRange(), let base = UnsafeMutableRawPointer(bitPattern: range.lowerBound) else {
            return
        }
        let arguments = UnsafeMutableRawBufferPointer(start: base, count: range.count)
        for secret in secrets { overwrite(Array(secret.utf8), in: arguments) }
    }

    /// Removes a variable from this process's environment, and so from its children's.
    static func hideVariable(_ name: String) {
        // /proc shows the memory in which the kernel put the variables, so the value is overwritten too.
        guard let value = getenv(name) else { return }
        memset(value, Int32(UInt8(ascii: "*")), strlen(value))
        unsetenv(name)
    }

    /// Forbids a core file after a crash, and forbids other processes of this user to read this one's memory.
    static func forbidDump() { kine_forbid_dump() }

    private static func overwrite(_ secret: [UInt8], in bytes: UnsafeMutableRawBufferPointer) {
        guard !secret.isEmpty, secret.count <= bytes.count else { return }
        for start in 0...(bytes.count - secret.count)
        where bytes[start..<(start + secret.count)].elementsEqual(secret) {
            for index in start..<(start + secret.count) { bytes[index] = UInt8(ascii: "*") }
        }
    }

    /// The addresses at which the kernel put the arguments.
    private static func argumentRange() -> Range<Int>? {
        let file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 2048)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? ProcessText.argumentRange(inStat: Array(bytes[..<count])) : nil
    }
}
