// The package of a new extension: its settings, and the code that writes it.
import Glibc
import KinePlatform
import KineProgram
import KineText
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
    /// The text of Package.resolved, with the versions that Kinecast was built with; nil: the package manager chooses
    /// the newest versions.
    var pins: String?
    /// Whether to request uncompressed frames instead of encoded ones.
    var wantsRawFrames: Bool
    /// The path of the kinecast that made the package; `scripts/install` uses it if none is in PATH.
    var kinecast: String

    /// Writes the package to `directory`, which must not exist. If a file cannot be written, everything is removed again.
    func write(to directory: FilePath) throws(CommandFailure) {
        guard mkdir(directory.cString, 0o777) == 0 else {
            let reason = errno == EEXIST ? "it exists already" : "\(Errno(rawValue: errno))"
            throw CommandFailure.cannotCreate(
                "The directory \(directory) cannot be created: \(reason); "
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

// The files of a new extension's package, made from the templates in Template.
extension ExtensionPackage {
    var files: [File] {
        [
            file("Package.swift", PackageResources.Package_swift_template),
            file("manifest.json", PackageResources.manifest_json_template),
            file("Sources/\(name.module)/\(name.module).swift", PackageResources.Handler_swift_template),
            file(
                "Sources/\(name.module)/Level.swift",
                wantsRawFrames
                    ? PackageResources.Level_raw_swift_template : PackageResources.Level_encoded_swift_template),
            file("Tests/\(name.module)Tests/\(name.module)Tests.swift", PackageResources.Tests_swift_template),
            file("scripts/install", PackageResources.install_template, isExecutable: true),
            file("README.md", PackageResources.README_md_template),
            File(path: ".gitignore", text: ".build/\n*.kinext/\n"),
        ] + (pins.map { [File(path: "Package.resolved", text: $0)] } ?? [])
    }

    private func file(_ path: String, _ template: [UInt8], isExecutable: Bool = false) -> File {
        var text = String(decoding: template, as: UTF8.self)
        for (key, word) in words { text.replace("{{\(key)}}", with: word) }
        return File(path: path, text: text, isExecutable: isExecutable)
    }

    /// The words that replace `{{KEY}}` in a template.
    private var words: [String: String] {
        [
            "module": name.module, "name": name.typed, "id": name.id, "kinecast": kinecast.shellWord,
            "dependency": dependency, "package": dependencyName,
            "wantedVideo": wantsRawFrames
                ? #""raw": {"pixelFormat": "i420", "maximumSize": {"width": 640, "height": 360}, "framesPerSecond": 10}"#
                : #""encoded": {"codec": "h264", "keyframeInterval": 2}"#,
            "video": wantsRawFrames
                ? "uncompressed frames (I420, at most 640x360, ten a second)"
                : "the encoded frames that the recording gets too",
            "frame": wantsRawFrames
                ? "_ = sampleBuffer.withPixels { level.addFrame($0) }"
                : "level.addFrame(bytes: sampleBuffer.byteCount)",
            "testedVideo": wantsRawFrames
                ? ".raw(.i420, PixelSize(width: 320, height: 180))" : ".encoded(PixelSize(width: 64, height: 48))",
        ]
    }

    /// Disabled traits avoid downloads that only Kinecast's own programs need, such as an HTTP server and TLS.
    private var dependency: String {
        switch sources {
        case .checkout(let path): ".package(name: \"kinecast\", path: \(Self.literal(path)), traits: [])"
        case .repository(let url): ".package(url: \(Self.literal(url)), branch: \"main\", traits: [])"
        }
    }

    /// Kinecast's name for the package manager: the last part of a repository's address, else the name in `dependency`.
    private var dependencyName: String {
        guard case .repository(let url) = sources else { return "kinecast" }
        let last = url.split { $0 == "/" || $0 == ":" }.last.map(String.init) ?? "kinecast"
        return last.hasSuffix(".git") ? String(last.dropLast(4)) : last
    }

    private static func literal(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
    }
}
