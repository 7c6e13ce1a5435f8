// A new extension's package: the list of its files, and the code that writes them. The files' texts are in the extensions
// beside this file.
import Glibc
import KinePlatform
import SystemPackage

struct ExtensionPackage {
    struct File: Equatable {
        /// Relative to the package's directory.
        var path: String
        var text: String
        var isExecutable = false
    }

    var name: ExtensionName
    var sources: KinecastSources
    /// The text of its Package.resolved, with the versions that Kinecast was built with; nil: the package manager chooses the
    /// newest.
    var pins: String?
    /// Uncompressed frames rather than encoded ones.
    var wantsRawFrames: Bool
    /// The path of the kinecast that made it, for `scripts/install` where none is in PATH.
    var kinecast: String

    var files: [File] {
        [
            File(path: "Package.swift", text: packageManifest),
            File(path: "manifest.json", text: serviceManifest),
            File(path: "Sources/\(name.module)/\(name.module).swift", text: handler),
            File(path: "Sources/\(name.module)/Level.swift", text: level),
            File(path: "Tests/\(name.module)Tests/\(name.module)Tests.swift", text: test),
            File(path: "scripts/install", text: installScript, isExecutable: true),
            File(path: "README.md", text: readme),
            File(path: ".gitignore", text: ".build/\n*.kinext/\n"),
        ] + (pins.map { [File(path: "Package.resolved", text: $0)] } ?? [])
    }

    /// Writes the package to `directory`, which must not exist. If a file cannot be written, everything is removed again.
    func write(to directory: FilePath) throws(CommandFailure) {
        guard mkdir(directory.cString, 0o777) == 0 else {
            let reason = errno == EEXIST ? "it exists already" : "\(Errno(rawValue: errno))"
            throw CommandFailure(
                status: ExitStatus.cannotCreate,
                message: "The directory \(directory) cannot be created: \(reason); "
                    + "choose another name, or another place with --path.")
        }
        var made: [FilePath] = [directory]
        for file in files {
            do throws(Errno) {
                try Self.write(file, below: directory, noting: &made)
            } catch {
                for path in made.reversed() where unlink(path.cString) != 0 { rmdir(path.cString) }
                throw CommandFailure(
                    status: ExitStatus.storageFailed,
                    message: "\(directory.appending(file.path)) cannot be written: \(error); free some space.")
            }
        }
    }

    private static func write(
        _ file: File, below directory: FilePath, noting made: inout [FilePath]
    ) throws(Errno) {
        var path = directory
        for component in FilePath(file.path).removingLastComponent().components {
            path.append(component)
            if mkdir(path.cString, 0o777) == 0 {
                made.append(path)
            } else if errno != EEXIST {
                throw Errno(rawValue: errno)
            }
        }
        let target = directory.pushing(FilePath(file.path))
        do {
            let descriptor = try FileDescriptor.open(
                target, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: FilePermissions(rawValue: file.isExecutable ? 0o777 : 0o666))
            made.append(target)
            try descriptor.closeAfter { _ = try descriptor.writeAll(file.text.utf8) }
        } catch {
            throw error as? Errno ?? .ioError
        }
    }
}
