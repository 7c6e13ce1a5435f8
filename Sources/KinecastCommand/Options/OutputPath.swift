// The path of the file to write.
import Glibc
import KineControl
import KinePlatform
import SystemPackage

enum OutputPath {
    /// The absolute path of the file to write. Without a name, or for a directory, the name is made of the time; where it is taken, the
    /// engine numbers it.
    ///
    /// - Parameters:
    ///   - typed: the path that the user typed; nil: none.
    ///   - workingDirectory: the directory that a relative path starts from.
    ///   - timestamp: local time as `YYYY-MM-DD HH.MM.SS`.
    static func resolve(
        _ typed: String?, workingDirectory: FilePath, timestamp: @autoclosure () -> String
    ) -> FilePath {
        var path = typed.map { workingDirectory.pushing(FilePath($0)) } ?? workingDirectory
        path.components.removeAll { $0.kind == .currentDirectory }
        guard typed == nil || isDirectory(path) else { return path }
        return path.appending("Kinecast \(timestamp()).mp4")
    }

    /// The same, with the current directory and time.
    static func resolveNow(_ typed: String?) throws -> FilePath {
        resolve(typed, workingDirectory: try workingDirectory(), timestamp: LocalTime.text("%Y-%m-%d %H.%M.%S"))
    }

    /// Whether Kinecast chooses the file's name. The file then gets the next free one if that is taken, and only its owner may read it;
    /// one that the user named follows the umask, since it may be meant for others.
    static func isNamedHere(_ typed: String?) throws -> Bool {
        guard let typed else { return true }
        return isDirectory(try workingDirectory().pushing(FilePath(typed)))
    }

    static func workingDirectory() throws -> FilePath {
        guard let path = getcwd(nil, 0) else {
            throw CommandFailure(
                status: ExitStatus.cannotCreate,
                message: "The current directory is gone or unreadable; change to one that exists.")
        }
        defer { free(path) }
        return FilePath(platformString: path)
    }

    private static func isDirectory(_ path: FilePath) -> Bool {
        var status = stat()
        return stat(path.string, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

extension TakeConfiguration {
    /// - Parameter isNamedHere: Kinecast chooses the file's name.
    mutating func setNamedHere(_ isNamedHere: Bool) {
        isOutputPrivate = isNamedHere
        isOutputNumbered = isNamedHere
    }
}
