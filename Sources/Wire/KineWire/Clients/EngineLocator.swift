// Finds the engine's executable.
import KinePlatform
import KineText
import SystemPackage

/// Finds `kinecast-engine`: the file in `KINECAST_ENGINE`, else the first executable file of `places`.
public struct EngineLocator: Sendable {
    public static let name = "kinecast-engine"
    public static let variable = "KINECAST_ENGINE"

    /// The path in the variable, if it is set.
    public var named: String?
    /// This process's executable; nil if unknown.
    public var executable: String?
    /// The command line's executable in PATH; nil if it is not installed.
    public var command: String?
    /// The directories in which distributions install it.
    public var systemPlaces: [FilePath]

    public init(
        named: String? = ProcessEnvironment.value(variable), executable: String? = ExecutableSearch.own,
        command: String? = ExecutableSearch.find("kinecast"),
        systemPlaces: [FilePath] = ["/usr/local/libexec/kinecast", "/usr/libexec/kinecast"]
    ) {
        self.named = named
        self.executable = executable
        self.command = command
        self.systemPlaces = systemPlaces
    }

    /// For this executable and then the command line's: `../libexec/kinecast/` relative to its directory (installed),
    /// then that directory itself (built). Then the system's directories. Throws if no executable is known.
    public func places() throws(Error) -> [FilePath] {
        let command = command.map { FilePath(escaped: $0).resolved ?? FilePath(escaped: $0) }
        let executables = [executable.map { FilePath(escaped: $0) }, command].compactMap(\.self)
        guard !executables.isEmpty else { throw .executableUnknown }
        var places: [FilePath] = []
        for directory in executables.map({ $0.removingLastComponent() }) {
            places += [
                directory.removingLastComponent().appending("libexec/kinecast/\(Self.name)"),
                directory.appending(Self.name),
            ].filter { !places.contains($0) }
        }
        return places + systemPlaces.map { $0.appending(Self.name) }
    }

    public func locate() throws(Error) -> FilePath {
        if let named {
            guard FilePath(escaped: named).isExecutableFile else { throw .namedUnusable(named) }
            return FilePath(escaped: named)
        }
        let places = try places()
        guard let found = places.first(where: \.isExecutableFile) else { throw .notFound(places: places) }
        return found
    }

    /// The path of another program of the engine's installation; nil if it is not there.
    public func neighbour(_ name: String) -> FilePath? {
        let engines = [named.map { FilePath(escaped: $0) }].compactMap(\.self) + ((try? places()) ?? [])
        return engines.map { $0.removingLastComponent().appending(name) }.first(where: \.isExecutableFile)
    }

    /// The reason why no engine was found.
    public enum Error: Swift.Error, Equatable, Sendable, CustomStringConvertible {
        /// The variable names a file that cannot be executed.
        case namedUnusable(String)
        /// The engine is in none of these directories.
        case notFound(places: [FilePath])
        /// This process's executable is unknown, and the command line is not installed.
        case executableUnknown

        public var description: String {
            switch self {
            case .namedUnusable(let path):
                "\(EngineLocator.variable) names \(path), which cannot be executed; correct it or unset it."
            case .notFound(let places):
                "\(EngineLocator.name) is in neither \(places.map(\.escaped).joined(separator: " nor ")); "
                    + "install Kinecast completely, or name it in \(EngineLocator.variable)."
            case .executableUnknown:
                "/proc is not there; name \(EngineLocator.name) in \(EngineLocator.variable)."
            }
        }
    }
}
