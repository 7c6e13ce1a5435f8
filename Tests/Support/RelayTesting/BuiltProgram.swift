// Where programs are that were built with the tests.
import Glibc

public enum BuiltProgram {
    /// The path of a program beside the tests' own; nil if it was not built.
    public static func path(_ name: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let directory = own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return access(directory + "/" + name, X_OK) == 0 ? directory + "/" + name : nil
    }
}
