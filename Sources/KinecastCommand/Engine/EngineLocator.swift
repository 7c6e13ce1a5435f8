// Where the engine's executable is.
import Glibc
import KinePlatform
import SystemPackage

enum EngineLocator {
    static let name = "kinecast-engine"
    static let variable = "KINECAST_ENGINE"

    /// The first of: what `KINECAST_ENGINE` names; the installed place, `../libexec/kinecast/` seen from this executable's
    /// directory; this executable's own directory, as in a build directory.
    static func locate() throws -> FilePath {
        if let named = getenv(variable).map({ String(cString: $0) }), !named.isEmpty {
            guard isExecutable(FilePath(named)) else {
                throw CommandFailure(
                    status: ExitStatus.unavailable,
                    message: "\(variable) names \(named), which cannot be executed; correct it or unset it.")
            }
            return FilePath(named)
        }
        let directory = try ownExecutable().removingLastComponent()
        let places = [
            directory.removingLastComponent().appending("libexec/kinecast/\(name)"), directory.appending(name),
        ]
        guard let found = places.first(where: isExecutable) else {
            throw CommandFailure(
                status: ExitStatus.unavailable,
                message: "\(name) is in neither \(places.map(\.string).joined(separator: " nor ")); "
                    + "install Kinecast completely, or name it in \(variable).")
        }
        return found
    }

    static func ownExecutable() throws -> FilePath {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        guard length > 0 else {
            throw CommandFailure(
                status: ExitStatus.unavailable, message: "/proc is not there; name \(self.name) in \(variable).")
        }
        return FilePath(String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    private static func isExecutable(_ path: FilePath) -> Bool {
        var status = stat()
        return stat(path.string, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path.string, X_OK) == 0
    }
}
