// A service's bundle: its requirements, and the installed copy. Linux.
import CLinux
import Glibc
import KinePlatform
import KineText
import SystemPackage

/// Copies directory trees and removes them.
enum BundleCopy {
    typealias Fault = ServiceCatalog.CopyFault

    /// A deeper or larger tree is not a bundle: a mistyped path must not copy a disk.
    static let depthLimit = 16
    static let byteLimit: Int64 = 2 << 30

    /// Copies the directory `source` to `target`, which must not exist. If this throws, a partial copy is left. Files
    /// keep their permission bits, except set-user-ID and similar ones, and are on the disk when this returns.
    static func copy(_ source: FilePath, to target: FilePath) throws(Fault) {
        var bytes: Int64 = 0
        try copyDirectory(source, to: target, root: source, depth: 0, bytes: &bytes)
    }

    private static func copyDirectory(
        _ source: FilePath, to target: FilePath, root: FilePath, depth: Int, bytes: inout Int64
    ) throws(Fault) {
        guard depth < depthLimit else { throw .tooDeep(source.escaped) }
        guard mkdir(target.cString, 0o755) == 0 else { throw .system(path: target.escaped, Errno(rawValue: errno)) }
        for name in PrivateDirectory.entries(source).sorted() {
            let (from, to) = (source.pushing(FilePath(escaped: name)), target.pushing(FilePath(escaped: name)))
            var status = stat()
            guard lstat(from.cString, &status) == 0 else { throw .system(path: from.escaped, Errno(rawValue: errno)) }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: try copyDirectory(from, to: to, root: root, depth: depth + 1, bytes: &bytes)
            case S_IFLNK: try copyLink(from, to: to, root: root)
            case S_IFREG:
                bytes += Int64(status.st_size)
                guard bytes <= byteLimit else { throw .tooLarge(limit: byteLimit) }
                do {
                    try copyFile(from, to: to, mode: status.st_mode & 0o777)
                } catch {
                    throw .system(path: from.escaped, error as? Errno ?? .ioError)
                }
            default: throw .notAFile(from.escaped)
            }
        }
    }

    private static func copyLink(_ source: FilePath, to target: FilePath, root: FilePath) throws(Fault) {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink(source.cString, &buffer, buffer.count - 1)
        guard length > 0 else { throw .system(path: source.escaped, Errno(rawValue: errno)) }
        let text = String(escaping: buffer[..<length].map { UInt8(bitPattern: $0) })
        // An absolute link would lead back to the original bundle.
        guard !text.hasPrefix("/"), ServiceBundle.isInside(source, root) else { throw .linkLeadsOut(source.escaped) }
        guard symlink(text.cString, target.cString) == 0 else {
            throw .system(path: target.escaped, Errno(rawValue: errno))
        }
    }

    private static func copyFile(_ source: FilePath, to target: FilePath, mode: mode_t) throws {
        let input = try FileDescriptor.open(source, .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
        defer { try? input.close() }
        let output = try FileDescriptor.open(
            target, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
        try output.closeAfter {
            var chunk = [UInt8](repeating: 0, count: 1 << 18)
            while true {
                let count = try chunk.withUnsafeMutableBytes { try input.read(into: $0) }
                if count == 0 { break }
                _ = try output.writeAll(chunk[..<count])
            }
            guard fchmod(output.rawValue, mode) == 0, fsync(output.rawValue) == 0 else {
                throw Errno(rawValue: errno)
            }
        }
    }

    enum Unfinished: String, CaseIterable { case new, old }

    /// Listing ignores this name, and it is no service's id.
    static func unfinishedName(_ kind: Unfinished) -> String {
        ".\(kind)-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    }

    /// Removes what installations and removals that were ended have left, most likely during the question to the person.
    static func removeUnfinished(in directory: FilePath) {
        for name in PrivateDirectory.entries(directory) {
            guard Unfinished.allCases.contains(where: { name.hasPrefix(".\($0)-") }),
                let pid = Int32(name.dropFirst(5).prefix { $0 != "-" }), pid > 0, kill(pid, 0) != 0, errno == ESRCH
            else { continue }
            remove(directory.pushing(FilePath(escaped: name)))
        }
    }

    /// Replaces the tree `old` with `new` in one step.
    static func replace(_ old: FilePath, with new: FilePath) throws(Fault) {
        func failure() -> Fault { .system(path: old.escaped, Errno(rawValue: errno)) }
        if rename(new.cString, old.cString) == 0 { return }
        guard errno == ENOTEMPTY || errno == EEXIST else { throw failure() }
        if kine_exchange_paths(new.cString, old.cString) == 0 { return remove(new) }
        // On a file system that cannot swap, neither tree exists for a moment.
        let aside = FilePath(escaped: new.escaped + ".old")
        guard rename(old.cString, aside.cString) == 0 else { throw failure() }
        guard rename(new.cString, old.cString) == 0 else {
            let failure = failure()
            _ = rename(aside.cString, old.cString)
            throw failure
        }
        remove(aside)
    }
}

// A bundle on the disk: NAME.kinext, a directory with `manifest.json` and its executable.
enum ServiceBundle {
    static let suffix = ".kinext"
    static let manifestName = "manifest.json"

    typealias Problem = ServiceManifest.Problem

    /// Reads and checks the bundle in this directory. `unknownKeys`: the places of ignored keys.
    static func read(_ bundle: FilePath) throws(Problem) -> (manifest: ServiceManifest, unknownKeys: [String]) {
        let path = bundle.appending(manifestName)
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
        } catch {
            throw Problem([], "cannot be read (\(error))")
        }
        defer { try? file.close() }
        guard (try? file.stat())?.type == .regular else { throw Problem([], "is not an ordinary file") }
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
        guard (try? path.stat()) != nil else { return "is not in the bundle" }
        guard path.isExecutableFile else { return "cannot be executed" }
        return isInside(path, bundle) ? nil : "is a link that leads out of the bundle"
    }

    /// Whether a path, with all links resolved, is inside the directory.
    static func isInside(_ path: FilePath, _ directory: FilePath) -> Bool {
        guard let inner = path.resolved, let outer = directory.resolved else { return false }
        return inner != outer && inner.starts(with: outer)
    }
}
