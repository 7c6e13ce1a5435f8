// Installing a bundle for this user, and removing it: each happens in one step, so nobody ever finds half a bundle.
import Glibc
import KinePlatform
import SystemPackage

extension ServiceCatalog {
    /// Why a service cannot be installed or removed.
    public enum InstallError: Swift.Error, Equatable, Sendable, CustomStringConvertible {
        case notABundle(String)
        case damaged(String, ServiceManifest.Problem)
        case cannotCopy(String, reason: String)
        case noHome
        case unknown(String, installed: [String])
        case notYours(String, where: String)
        case cannotRemove(String, Errno)

        public var description: String {
            switch self {
            case .notABundle(let path):
                "\(path) is no bundle: a directory with a manifest.json and an executable; give the path of one."
            case .damaged(let path, let problem):
                "The bundle \(path) is not installed, for in its manifest.json \(problem); correct it."
            case .cannotCopy(let path, let reason): "The bundle \(path) cannot be installed: \(reason)."
            case .noHome: "There is no place for services of your own; set HOME or XDG_DATA_HOME."
            case .unknown(let name, let installed) where installed.isEmpty:
                "There is no service \(name) to remove; none is installed."
            case .unknown(let name, let installed):
                "There is no service \(name) to remove; installed are \(installed.joined(separator: ", "))."
            case .notYours(let id, let place):
                "The service \(id) cannot be removed here, for \(place)."
            case .cannotRemove(let path, let errno):
                "\(path) cannot be removed: \(errno); correct its permissions."
            }
        }
    }

    private var userDirectory: FilePath? { places.first { $0.origin == .user }?.directory }

    /// Copies the bundle at `path` to the user's services, in the place of one with its id if there is one. Returns it as
    /// it is installed.
    @discardableResult
    public func install(_ path: FilePath) throws(InstallError) -> Service {
        guard let directory = userDirectory else { throw .noHome }
        var status = stat()
        guard stat(path.string, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            access(path.appending(ServiceBundle.manifestName).string, F_OK) == 0
        else { throw .notABundle(path.string) }
        let service: Service
        do throws(ServiceManifest.Problem) {
            service = try Self.read(path, origin: .user)
        } catch {
            throw .damaged(path.string, error)
        }
        do throws(Errno) {
            try Self.makeDirectories(directory)
        } catch {
            throw .cannotCopy(path.string, reason: "\(directory) cannot be made (\(error)); correct its permissions")
        }
        // A name that listing does not look at until it is renamed.
        let unfinished = directory.appending(".new-\(getpid())-\(UInt32.random(in: 0 ... .max))")
        defer { BundleCopy.remove(unfinished) }
        do throws(BundleCopy.Fault) {
            try BundleCopy.copy(path, to: unfinished)
        } catch {
            throw .cannotCopy(path.string, reason: error.text)
        }
        // Read again: what is installed is what was copied, whatever was changed meanwhile.
        let copied: Service
        do throws(ServiceManifest.Problem) {
            copied = try Self.read(unfinished, origin: .user)
        } catch {
            throw .damaged(path.string, error)
        }
        let target = installed(copied.id) ?? directory.appending(copied.id + ServiceBundle.suffix)
        do throws(Errno) {
            try BundleCopy.replace(target, with: unfinished)
        } catch {
            throw .cannotCopy(path.string, reason: "\(target) cannot be written (\(error)); correct its permissions")
        }
        return Service(
            manifest: copied.manifest, origin: .user, bundle: target,
            executable: target.appending(service.manifest.executable))
    }

    /// Removes a service that the user installed. `name` is its id, or the path or name of its bundle as it was installed or as
    /// `list` gives it.
    public func remove(_ name: String) throws(InstallError) {
        guard let directory = userDirectory else { throw .noHome }
        let last = FilePath(name).lastComponent?.string ?? name
        var bundle = installed(name)
        if bundle == nil, last.hasSuffix(ServiceBundle.suffix) {
            // Also a damaged one, which has no id; and the bundle that was installed from here.
            let named = directory.appending(last)
            if access(named.string, F_OK) == 0 {
                bundle = named
            } else if let id = try? ServiceBundle.read(FilePath(name)).id {
                bundle = installed(id)
            }
        }
        guard let bundle else {
            let services = list().services
            guard let other = services.first(where: { $0.id == name }) else {
                throw .unknown(
                    name.printable(limit: 100), installed: services.filter { $0.origin == .user }.map(\.id))
            }
            throw .notYours(
                other.id,
                where: other.origin == .builtIn
                    ? "it is a part of Kinecast" : "it is in \(other.bundle?.string ?? ""), which is not yours")
        }
        let aside = directory.appending(".old-\(getpid())-\(UInt32.random(in: 0 ... .max))")
        guard rename(bundle.string, aside.string) == 0 else {
            throw .cannotRemove(bundle.string, Errno(rawValue: errno))
        }
        BundleCopy.remove(aside)
    }

    /// The bundle in the user's directory that has this id.
    private func installed(_ id: String) -> FilePath? {
        guard let directory = userDirectory else { return nil }
        return PrivateDirectory.entries(directory).sorted().filter { $0.hasSuffix(ServiceBundle.suffix) }
            .map { directory.appending($0) }
            .first { (try? ServiceBundle.read($0))?.id == id }
    }

    /// A directory and those above it that are missing; only the user may enter what is made.
    private static func makeDirectories(_ path: FilePath) throws(Errno) {
        if mkdir(path.string, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, path.components.count > 1 else { throw Errno(rawValue: errno) }
        try makeDirectories(path.removingLastComponent())
        guard mkdir(path.string, 0o700) == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
    }
}

extension BundleCopy.Fault {
    /// What happened and what to do, to end a sentence with.
    fileprivate var text: String {
        switch self {
        case .linkLeadsOut(let path): "\(path) is a link that leads out of it; put the file itself there"
        case .notAFile(let path): "\(path) is neither a file nor a directory; remove it"
        case .tooDeep(let path): "\(path) lies too deep; give the bundle itself"
        case .tooLarge(let limit): "it has more than \(limit >> 20) MB; give the bundle itself"
        case .system(let path, let errno): "\(path) failed (\(errno)); correct its permissions or free some space"
        }
    }
}
