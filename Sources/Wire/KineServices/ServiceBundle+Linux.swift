// A bundle on the disk: NAME.kinext, a directory with `manifest.json` and the executable that it names.
import Glibc
import KinePlatform
import SystemPackage

enum ServiceBundle {
    static let suffix = ".kinext"
    static let manifestName = "manifest.json"

    typealias Problem = ServiceManifest.Problem

    /// Reads and checks the bundle in that directory. `unknownKeys`: the places of the keys that were ignored.
    static func read(_ bundle: FilePath) throws(Problem) -> (manifest: ServiceManifest, unknownKeys: [String]) {
        let path = bundle.appending(manifestName)
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
        } catch {
            throw Problem([], "cannot be read (\(error))")
        }
        defer { try? file.close() }
        var status = stat()
        guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Problem([], "is not an ordinary file")
        }
        guard let bytes = file.contents(limit: ServiceManifest.fileLimit) else {
            throw Problem([], "cannot be read, or has more than \(ServiceManifest.fileLimit) bytes")
        }
        let read = try ServiceManifest.read(bytes)
        if let reason = fault(ofExecutable: read.manifest.executable, in: bundle) {
            throw Problem([ServiceManifest.CodingKeys.executable], "names \(read.manifest.executable), which \(reason)")
        }
        if let program = read.manifest.setupProgram, let reason = fault(ofExecutable: program, in: bundle) {
            throw Problem([ServiceManifest.CodingKeys.setupProgram], "names \(program), which \(reason)")
        }
        return read
    }

    private static func fault(ofExecutable name: String, in bundle: FilePath) -> String? {
        let path = bundle.appending(name)
        var status = stat()
        guard stat(path.cString, &status) == 0 else { return "is not in the bundle" }
        guard status.st_mode & S_IFMT == S_IFREG, access(path.cString, X_OK) == 0 else { return "cannot be executed" }
        return isInside(path, bundle) ? nil : "is a link that leads out of the bundle"
    }

    /// Whether a path, every link followed, lies in the directory.
    static func isInside(_ path: FilePath, _ directory: FilePath) -> Bool {
        guard let inner = path.resolved, let outer = directory.resolved else { return false }
        return inner != outer && inner.starts(with: outer)
    }
}
