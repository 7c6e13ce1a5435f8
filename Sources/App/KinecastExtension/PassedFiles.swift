// The files and the socket that the engine opens for an extension, which cannot open them itself.
import KinePlatform
import KineWire
import SystemPackage

/// The descriptors that the engine passes on, by the key of their setting.
public enum PassedFiles {
    /// The descriptor for a setting with `"file": true`, or for the setting that `listen` names a socket that is bound, listening
    /// and not blocking. Nil if the setting is not set or the file cannot be opened. It belongs to the process.
    public static func descriptor(for key: String) -> Int32? {
        ProcessEnvironment.value(PassedDescriptors.variable)?
            .split(separator: ":", omittingEmptySubsequences: false).firstIndex(of: key[...])
            .map { PassedDescriptors.first + Int32($0) }
    }

    /// The contents of a setting's file, at most 4 MiB; nil if there is none or it cannot be read.
    public static func contents(for key: String) -> [UInt8]? {
        descriptor(for: key).flatMap { FileDescriptor(rawValue: $0).contents(limit: 4 << 20) }
    }

    /// The absolute path of the directory that the extension may write to. Its files stay for the next broadcast. Nil for services
    /// that come with Kinecast, and if the user has no home.
    public static var dataDirectory: String? { ProcessEnvironment.value(PassedDescriptors.dataVariable) }

    /// Forbids this process to execute programs from now on. For extensions that execute none.
    public static func forbidExecution() { Sandbox.forbidExecution() }
}
