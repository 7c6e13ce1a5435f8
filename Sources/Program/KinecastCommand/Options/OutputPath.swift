// The path of the file to write, and "-" for standard output.
import Glibc
import KineMedia
import KinePlatform
import KineProgram
import KineText
import SystemPackage

enum OutputPath {
    /// The absolute path of the file to write. Without a name, or for a directory, the name is made from the time; if
    /// that name is in use, the engine adds a number.
    ///
    /// - Parameters:
    ///   - typed: the path that the user typed, if any.
    ///   - kind: the first word of a name that is made.
    ///   - workingDirectory: the directory that a relative path starts from.
    ///   - timestamp: local time as `YYYY-MM-DD HH.MM.SS`.
    static func resolve(
        _ typed: String?, kind: String = "Kinecast", workingDirectory: FilePath, timestamp: @autoclosure () -> String
    ) -> FilePath {
        var path = typed.map { workingDirectory.pushing(FilePath(escaped: $0)) } ?? workingDirectory
        path.components.removeAll { $0.kind == .currentDirectory }
        guard typed == nil || path.isDirectory else { return path }
        return path.appending("\(kind) \(timestamp()).mp4")
    }

    /// Resolves the path with the current directory and time. Throws if the name cannot be an MP4 file.
    /// - Parameter mayStream: whether "-" means standard output; otherwise it is refused.
    static func resolveNow(_ typed: String?, kind: String = "Kinecast", mayStream: Bool = false) throws -> FilePath {
        if mayStream, typed == TakeConfiguration.standardOutput {
            try checkStandardOutput()
            return FilePath(TakeConfiguration.standardOutput)
        }
        let directory = try workingDirectory()
        if let typed { try check(typed, mayStream: mayStream, workingDirectory: directory) }
        return resolveNow(typed, kind: kind, in: directory)
    }

    /// As `resolve`, with the current time.
    static func resolveNow(_ typed: String? = nil, kind: String = "Kinecast", in directory: FilePath) -> FilePath {
        resolve(typed, kind: kind, workingDirectory: directory, timestamp: LocalTime.text("%Y-%m-%d %H.%M.%S"))
    }

    /// A name made from the time, in the directory Kinecast of the user's directory for videos, else of the home
    /// directory. Makes the directory.
    static func inVideos(kind: String = "Kinecast") throws(CommandFailure) -> FilePath {
        guard let path = UserDirectories.newRecording(kind) else {
            throw CommandFailure.cannotCreate(
                "There is no directory for videos that you can write to; name one with -o.")
        }
        return path
    }

    /// The file extensions of other containers, which players and editors rely on.
    private static let otherContainers: Set<String> = ["mkv", "webm", "gif", "avi", "ts", "flv"]

    /// Throws if the typed path means standard output, another container, or no file.
    static func check(_ typed: String, mayStream: Bool = false, workingDirectory: FilePath) throws(CommandFailure) {
        let path = workingDirectory.pushing(FilePath(escaped: typed))
        let advice =
            mayStream ? "give a file's name, or - for standard output" : "give a file's name, such as ./out.mp4"
        guard typed != "-", !path.starts(with: "/dev/fd"), !["/dev/stdout", "/dev/stderr"].contains(path) else {
            throw .usage("\(typed) is no file; \(advice).")
        }
        let type = (try? path.stat())?.type ?? .regular
        guard type == .directory || typed.utf8.last != UInt8(ascii: "/") else {
            throw .cannotCreate("There is no directory \(typed); make it, or leave the / at its end out.")
        }
        guard type == .regular || type == .directory else {
            throw .usage("\(typed) is a pipe, a socket or a device; \(advice).")
        }
        if type == .regular, let ending = path.extension?.lowercased(), otherContainers.contains(ending) {
            throw .usage(
                "\(typed) would be another container than MP4, the one that Kinecast writes; let its name end in .mp4.")
        }
    }

    /// Throws if standard output cannot receive a video.
    private static func checkStandardOutput() throws(CommandFailure) {
        // If it was closed at the start, another descriptor without a file type may have its number.
        guard let status = try? FileDescriptor.standardOutput.stat(), status.type.rawValue != 0 else {
            throw .usage("Standard output is closed; give it a reader, as in kinecast record - | mpv -.")
        }
        guard isatty(STDOUT_FILENO) == 0 else {
            throw .usage(
                "Standard output is a terminal, which shows no video; give it a reader, as in kinecast record - | mpv -."
            )
        }
    }

    /// Whether Kinecast chooses the file's name. Such a file gets the next free name, and only its owner may read it; a
    /// file that the user named follows the umask, since others may be meant to read it.
    static func isNamedHere(_ typed: String?) throws -> Bool {
        guard let typed else { return true }
        if typed == TakeConfiguration.standardOutput { return false }
        return try workingDirectory().pushing(FilePath(escaped: typed)).isDirectory
    }

    /// The absolute path of a file that is made from another file: the typed path, a name in the typed directory, or
    /// `usual`; and whether Kinecast chooses the name.
    static func derived(_ typed: String?, from usual: FilePath) throws -> (path: FilePath, isNamedHere: Bool) {
        guard let typed else { return (usual, true) }
        let path = try workingDirectory().pushing(FilePath(escaped: typed))
        guard path.isDirectory, let name = usual.lastComponent else { return (path, false) }
        return (path.appending(name), true)
    }

    static func workingDirectory() throws -> FilePath {
        guard let path = getcwd(nil, 0) else {
            throw CommandFailure.cannotCreate("The current directory is gone or unreadable; change to one that exists.")
        }
        defer { free(path) }
        return FilePath(platformString: path)
    }
}

extension TakeConfiguration {
    /// - Parameter isNamedHere: whether Kinecast chooses the file's name.
    mutating func setNamedHere(_ isNamedHere: Bool) {
        isOutputPrivate = isNamedHere
        isOutputNumbered = isNamedHere
    }
}
