// What is kept by a service's id, outside of its bundle: the person's settings, and the extension's directory. Linux.
import Glibc
import KinePlatform
import KineText
import SystemPackage

struct ServiceBelongings: Sendable {
    let settings: KeptSettings
    /// The parent of the extensions' directories; nil: there is no place for it.
    let data: FilePath?

    func exist(of id: String) -> Bool {
        [settings.file(of: id), data?.appending(id)].contains { path in
            path.map { access($0.cString, F_OK) == 0 } ?? false
        }
    }

    /// Returns whether there was something to remove.
    func remove(_ id: String) throws(ServiceCatalog.InstallError) -> Bool {
        let hadSettings: Bool
        do throws(Errno) { hadSettings = try settings.remove(id) } catch {
            throw .cannotRemove(settings.file(of: id)?.escaped ?? id, error)
        }
        guard let data else { return hadSettings }
        // The extension may run, and go on writing: what it writes then belongs to no id.
        let (path, aside) = (data.appending(id), data.appending(BundleCopy.unfinishedName(.old)))
        guard rename(path.cString, aside.cString) == 0 else {
            if errno == ENOENT { return hadSettings }
            throw .cannotRemove(path.escaped, Errno(rawValue: errno))
        }
        BundleCopy.remove(aside)
        guard access(aside.cString, F_OK) != 0 else { throw .cannotRemove(aside.escaped, .directoryNotEmpty) }
        return true
    }
}

/// Written beside an installed bundle, which its extension can read.
public struct ServiceInstallation: Sendable, Equatable {
    /// Stays the same in agreed replacements. A bundle with the same id that is installed after a removal has another.
    let generation: String
    /// The path that the bundle was copied from, in the form of `String(escaping:)`.
    public let source: String

    init(generation: String? = nil, source: String) {
        self.generation = generation ?? String(UInt64.random(in: 1 ... .max), radix: 16)
        self.source = source
    }

    /// Nil: the bundle was not installed by `ServiceCatalog`, or is not the one that was.
    init?(of bundle: FilePath) {
        guard let bytes = PrivateDirectory.contents(of: Self.file(of: bundle), limit: 8 << 10) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 2)
        guard parts.count == 3, Self.identity(of: bundle) == String(parts[0]) else { return nil }
        (generation, source) = (String(parts[1]), String(parts[2]))
    }

    /// Without this file the next replacement is asked about.
    func write(for bundle: FilePath) {
        let text = "\(Self.identity(of: bundle) ?? "")\n\(generation)\n\(source)"
        try? PrivateDirectory.replace(Self.file(of: bundle), with: Array(text.utf8))
    }

    /// Another directory may come to the path, and have a number that was free again.
    private static func identity(of bundle: FilePath) -> String? {
        guard let status = try? bundle.stat(followTargetSymlink: false) else { return nil }
        return "\(status.inode.rawValue) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
    }

    static func remove(of bundle: FilePath) { unlink(file(of: bundle).cString) }

    /// Listing ignores this name.
    private static func file(of bundle: FilePath) -> FilePath {
        bundle.removingLastComponent().appending(".\(bundle.lastComponent?.string ?? "").installed")
    }
}

extension Service {
    /// Whether another bundle has come to the place of this one without being its replacement.
    public var isSuperseded: Bool {
        guard origin == .user, let bundle else { return false }
        return ServiceInstallation(of: bundle)?.generation != installation?.generation
    }
}
