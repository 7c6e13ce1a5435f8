// The descriptors that an extension starts with beside its control channel: the socket that the engine listens on for it, and the
// files that its settings name. Linux.
import Glibc
import KinePlatform
import SystemPackage

/// Their keys are in a variable of the extension's environment; the first is descriptor 4.
public enum PassedDescriptors {
    /// Holds the keys of their settings, separated by colons.
    public static let variable = "KINECAST_DESCRIPTORS"
    /// Names the extension's own directory, the only one that it may write to.
    public static let dataVariable = "KINECAST_DATA"
    /// Behind the three standard ones and the control channel.
    static let first: Int32 = 4
    /// The most that one extension gets.
    public static let limit = 16
    /// The largest file that is read for a setting: bytes.
    static let fileLimit = 4 << 20

    public static func entry(_ keys: [String]) -> String { "\(variable)=\(keys.joined(separator: ":"))" }

    /// The descriptor for the setting of that key; nil if none was passed. It belongs to the process.
    public static func descriptor(
        for key: String, in names: String? = ProcessEnvironment.value(variable)
    ) -> FileDescriptor? {
        guard let index = names?.split(separator: ":", omittingEmptySubsequences: false).firstIndex(of: key[...]) else {
            return nil
        }
        return FileDescriptor(rawValue: first + Int32(index))
    }

    /// The whole file that the setting of that key names; nil if it was not passed or cannot be read.
    public static func contents(for key: String) -> [UInt8]? {
        guard let file = descriptor(for: key) else { return nil }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while bytes.count <= fileLimit {
            // At an offset: the file position is shared with the processes started before.
            guard
                let count = try? chunk.withUnsafeMutableBytes({
                    try file.read(fromAbsoluteOffset: Int64(bytes.count), into: $0)
                })
            else { return nil }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        return nil
    }
}
