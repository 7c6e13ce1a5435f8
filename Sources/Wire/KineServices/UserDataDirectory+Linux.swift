// Kinecast's directories in `$XDG_DATA_HOME` (freedesktop.org, XDG Base Directory). Linux.
import Glibc
import KinePlatform
import KineText
import SystemPackage

public enum UserDataDirectory {
    /// The reason why the directory cannot be used.
    public enum Error: Swift.Error, Equatable, Sendable, CustomStringConvertible {
        /// Neither XDG_DATA_HOME nor HOME is set.
        case noHome
        case cannotMake(FilePath, Errno)
        case unusable(FilePath)

        /// The end of a sentence that explains the error.
        public var description: String {
            switch self {
            case .noHome: "neither XDG_DATA_HOME nor HOME is set to an absolute path, and one of them has to be"
            case .cannotMake(let path, let error): "\(path) cannot be made: \(error)"
            case .unusable(let path): "\(path) is no directory of this user's; remove it"
            }
        }
    }

    /// `kinecast/…` in the user's directory for data. Creates missing directories, which only their owner may enter.
    ///
    /// - Parameter environment: `NAME=value` entries of the asking process; nil: this process's.
    static func make(_ components: [String], environment: [String]?) throws(Error) -> FilePath {
        func value(_ name: String) -> String? {
            environment.map { ProcessEnvironment.value(name, in: $0) } ?? ProcessEnvironment.value(name)
        }
        guard var path = UserDirectories.ownData(value) else { throw .noHome }
        try makeMissing(path)
        for component in ["kinecast"] + components {
            path.append(component)
            try make(path)
        }
        return path
    }

    /// On a new machine, the user's directory for data may be missing.
    private static func makeMissing(_ path: FilePath) throws(Error) {
        guard (try? path.stat()) == nil else { return }
        let parent = path.removingLastComponent()
        if parent != path { try makeMissing(parent) }
        try make(path)
    }

    private static func make(_ path: FilePath) throws(Error) {
        guard mkdir(path.cString, 0o700) == 0 || errno == EEXIST else {
            throw .cannotMake(path, Errno(rawValue: errno))
        }
        guard let status = try? path.stat(), status.type == .directory,
            status.userID.rawValue == getuid() || geteuid() == 0
        else { throw .unusable(path) }
    }
}
