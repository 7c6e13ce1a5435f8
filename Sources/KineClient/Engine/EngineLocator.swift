// Finds the engine's executable.
import Glibc
import KinePlatform
import SystemPackage

/// Finds `kinecast-engine`: the file that `KINECAST_ENGINE` names, else the first of `places` that can be executed.
public struct EngineLocator: Sendable {
    public static let name = "kinecast-engine"
    public static let variable = "KINECAST_ENGINE"

    /// The path in the variable; nil where it is unset.
    public var named: String?
    /// This process's own executable; nil where the system does not say.
    public var executable: String?

    public init(
        named: String? = ProcessEnvironment.value(variable), executable: String? = ExecutableSearch.own
    ) {
        self.named = named
        self.executable = executable
    }

    /// The paths to look at: `../libexec/kinecast/` seen from the executable's directory, as it is installed, then that
    /// directory itself, as it is built. Throws where the executable is not known.
    public func places() throws(ClientError) -> [FilePath] {
        guard let executable else { throw .executableUnknown }
        let directory = FilePath(executable).removingLastComponent()
        return [
            directory.removingLastComponent().appending("libexec/kinecast/\(Self.name)"),
            directory.appending(Self.name),
        ]
    }

    public func locate() throws(ClientError) -> FilePath {
        if let named {
            guard Self.isExecutable(FilePath(named)) else { throw .namedEngineUnusable(named) }
            return FilePath(named)
        }
        let places = try places()
        guard let found = places.first(where: Self.isExecutable) else { throw .engineNotFound(places: places) }
        return found
    }

    private static func isExecutable(_ path: FilePath) -> Bool {
        var status = stat()
        return stat(path.string, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path.string, X_OK) == 0
    }
}
