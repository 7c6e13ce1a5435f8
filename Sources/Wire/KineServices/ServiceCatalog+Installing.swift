// Installs a bundle for this user, and removes it: each in one step, so that no partial bundle is ever visible.
import Glibc
import KinePlatform
import SystemPackage

extension ServiceCatalog {
    /// The reasons why a service cannot be installed or removed.
    public enum InstallError: Swift.Error, Equatable, Sendable {
        case notABundle(String)
        case damaged(String, ServiceManifest.Problem)
        case cannotCopy(String, CopyFault)
        /// Neither HOME nor XDG_DATA_HOME is set.
        case noHome
        case unknown(String, installed: [String])
        /// The service is built in, or its bundle belongs to another user.
        case notYours(String, bundle: String?)
        case cannotRemove(String, Errno)
        /// The service requests unusual rights, and the person has not agreed; whether they were asked.
        case noConsent(String, wasAsked: Bool)
    }

    /// The reasons why a bundle cannot be copied.
    public enum CopyFault: Swift.Error, Equatable, Sendable, CustomStringConvertible {
        /// A link that leads out of the bundle.
        case linkLeadsOut(String)
        /// A socket, a device or a pipe.
        case notAFile(String)
        case tooDeep(String)
        case tooLarge(limit: Int64)
        case system(path: String, Errno)

        public var description: String {
            switch self {
            case .linkLeadsOut(let path): "\(path) is a link that leads out of it; put the file itself there"
            case .notAFile(let path): "\(path) is neither a file nor a directory; remove it"
            case .tooDeep(let path): "\(path) lies too deep; give the bundle itself"
            case .tooLarge(let limit): "it has more than \(limit >> 20) MB; give the bundle itself"
            case .system(let path, let errno): "\(path) failed (\(errno)); correct its permissions or free some space"
            }
        }
    }

    private var userDirectory: FilePath? { places.first { $0.origin == .user }?.directory }

    /// Copies the bundle at `path` to the user's services, replacing one with its id. Returns the installed one.
    ///
    /// - Parameter consent: called once with the copy, before it is renamed, and with whether the person has to agree
    ///   to its rights. Returns their decision; nil: there is no one to ask.
    @discardableResult
    public func install(
        _ path: FilePath, consent: (Service, _ isNeeded: Bool) -> Bool?
    ) throws(InstallError) -> Service {
        guard let directory = userDirectory else { throw .noHome }
        var status = stat()
        guard stat(path.cString, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            access(path.appending(ServiceBundle.manifestName).cString, F_OK) == 0
        else { throw .notABundle(path.escaped) }
        // Listing ignores this name.
        let unfinished = directory.appending(".new-\(getpid())-\(UInt32.random(in: 0 ... .max))")
        defer { BundleCopy.remove(unfinished) }
        let copied: Service
        let target: FilePath
        do {
            _ = try Self.read(path, origin: .user)
            do throws(Errno) { try PrivateDirectory.makeMissing(directory) } catch {
                throw CopyFault.system(path: directory.escaped, error)
            }
            Self.removeUnfinished(in: directory)
            try BundleCopy.copy(path, to: unfinished)
            // Read again, because the original may have changed during the copy.
            copied = try Self.read(unfinished, origin: .user)
            _ = try ReadablePaths(user: getuid(), ProcessEnvironment.value).resolve(copied.manifest.readable)
            let old = installed(copied.id)
            let isNeeded = copied.manifest.needsConsent(replacing: try? old.map(ServiceBundle.read)?.manifest)
            let answer = consent(copied, isNeeded)
            guard answer == true else { throw InstallError.noConsent(copied.id, wasAsked: answer != nil) }
            target = old ?? directory.appending(copied.id + ServiceBundle.suffix)
            try BundleCopy.replace(target, with: unfinished)
        } catch let problem as ServiceManifest.Problem {
            throw .damaged(path.escaped, problem)
        } catch let error as InstallError {
            throw error
        } catch {
            throw .cannotCopy(path.escaped, error as? CopyFault ?? .system(path: path.escaped, .ioError))
        }
        return Service(
            manifest: copied.manifest, origin: .user, bundle: target,
            executable: target.appending(copied.manifest.executable), unknownKeys: copied.unknownKeys)
    }

    /// Removes a service that the user installed. `name` is its id, or the path or name of its bundle as installed or
    /// as in `list`.
    public func remove(_ name: String) throws(InstallError) {
        guard let directory = userDirectory else { throw .noHome }
        let last = FilePath(name).lastComponent?.string ?? name
        var bundle = installed(name)
        if bundle == nil, last.hasSuffix(ServiceBundle.suffix) {
            // The bundle may be damaged and have no id, or this is the path that it was installed from.
            let named = directory.appending(last)
            if access(named.cString, F_OK) == 0 {
                bundle = named
            } else if let id = try? ServiceBundle.read(FilePath(escaped: name)).manifest.id {
                bundle = installed(id)
            }
        }
        guard let bundle else {
            let services = list().services
            guard let other = services.first(where: { $0.id == name }) else {
                throw .unknown(
                    name.printable(limit: 100), installed: services.filter { $0.origin == .user }.map(\.id))
            }
            throw .notYours(other.id, bundle: other.bundle?.escaped)
        }
        let aside = directory.appending(".old-\(getpid())-\(UInt32.random(in: 0 ... .max))")
        guard rename(bundle.cString, aside.cString) == 0 else {
            throw .cannotRemove(bundle.escaped, Errno(rawValue: errno))
        }
        BundleCopy.remove(aside)
    }

    /// The bundle with this id in the user's directory.
    private func installed(_ id: String) -> FilePath? {
        guard let directory = userDirectory else { return nil }
        return PrivateDirectory.entries(directory).sorted().filter { $0.hasSuffix(ServiceBundle.suffix) }
            .map { directory.appending($0) }
            .first { (try? ServiceBundle.read($0))?.manifest.id == id }
    }

    /// Removes copies of installations that were ended, most likely during the question to the person.
    private static func removeUnfinished(in directory: FilePath) {
        for name in PrivateDirectory.entries(directory) where name.hasPrefix(".new-") {
            guard let pid = Int32(name.dropFirst(5).prefix { $0 != "-" }), pid > 0, kill(pid, 0) != 0, errno == ESRCH
            else { continue }
            BundleCopy.remove(directory.pushing(FilePath(escaped: name)))
        }
    }
}

// One sentence for each reason why a service cannot be installed or removed.
extension ServiceCatalog.InstallError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notABundle(let path):
            "\(path) is not a bundle: a directory with a manifest.json and an executable; give the path of one."
        case .damaged(let path, let problem):
            "The bundle \(path) is not installed: in its manifest.json, \(problem); correct it."
        case .cannotCopy(let path, let fault): "The bundle \(path) cannot be installed: \(fault)."
        case .noHome: "There is no place for services of your own; set HOME or XDG_DATA_HOME."
        case .unknown(let name, let installed) where installed.isEmpty:
            "There is no service \(name) to remove; none is installed."
        case .unknown(let name, let installed):
            "There is no service \(name) to remove; installed are \(installed.joined(separator: ", "))."
        case .notYours(let id, nil): "The service \(id) cannot be removed: it is a part of Kinecast."
        case .notYours(let id, let bundle?):
            "The service \(id) cannot be removed here: it is in \(bundle), which is not yours."
        case .cannotRemove(let path, let errno):
            "\(path) cannot be removed: \(errno); correct its permissions."
        case .noConsent(let id, wasAsked: true):
            "The service \(id) is not installed, since it may not have these rights."
        case .noConsent(let id, wasAsked: false):
            "The service \(id) asks for more than every service has, and is not installed, since there is no terminal to "
                + "agree at; install it at one, or with --yes."
        }
    }
}
