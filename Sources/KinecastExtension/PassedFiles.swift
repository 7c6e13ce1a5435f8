// What an extension cannot open by itself, since it reaches no file of the user's: it is started with the descriptors.
import KinePlatform
import KineRelay

/// The descriptors that the engine passes on, by the key of the setting that they belong to.
public enum PassedFiles {
    /// The descriptor for a setting with `"file": true`, or the socket of the one that `listen` names: bound, listening, and not
    /// blocking. Nil where the setting is not set or the file cannot be opened. It belongs to the process.
    public static func descriptor(for key: String) -> Int32? { PassedDescriptors.descriptor(for: key)?.rawValue }

    /// The whole file, of 4 MiB at most; nil where there is none or it cannot be read.
    public static func contents(for key: String) -> [UInt8]? { PassedDescriptors.contents(for: key) }

    /// The absolute path of the directory that the extension may write to, and of which it finds again what it left there. Nil
    /// for services that come with Kinecast, and where the user has no home.
    public static var dataDirectory: String? { ProcessEnvironment.value(PassedDescriptors.dataVariable) }

    /// From now on this process cannot execute programs: for those that need none.
    public static func forbidExecution() { Sandbox.forbidExecution() }
}
