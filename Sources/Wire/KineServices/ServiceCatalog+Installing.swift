// Installs a bundle for this user, and removes it: each in one step, so that no partial bundle is ever visible.
import Glibc
import KinePlatform
import KineText
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
        /// Something else has its id, and the person has not agreed to its replacement; whether they were asked.
        case notReplaced(String, wasAsked: Bool)
    }

    /// The earlier owner of the id, whose settings and directory a new bundle with that id gets.
    public enum Replaced: Sendable, Equatable {
        case service(Service)
        /// A bundle whose manifest cannot be used.
        case damaged(String)
        /// The bundle was removed without `remove`.
        case leftovers
    }

    /// What the person has to agree to before a bundle is installed.
    public struct Question: Sendable, Equatable {
        /// The bundle requests unusual rights that the one with its id has not had.
        public var isForRights: Bool
        /// Nil: its id is free, or that one came from the same path. There are no signatures: an id alone proves nothing.
        public var replaced: Replaced?

        public var isNeeded: Bool { isForRights || replaced != nil }
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

    /// Copies the bundle at `path` to the user's services, replacing one with its id, whose settings and directory it
    /// gets. Returns the installed one.
    ///
    /// - Parameter consent: called once with the copy, before it is renamed. Returns the person's decision; nil: there is
    ///   no one to ask.
    @discardableResult
    public func install(_ path: FilePath, consent: (Service, Question) -> Bool?) throws(InstallError) -> Service {
        guard let directory = userDirectory else { throw .noHome }
        guard let status = try? path.stat(), status.type == .directory,
            access(path.appending(ServiceBundle.manifestName).cString, F_OK) == 0
        else { throw .notABundle(path.escaped) }
        let unfinished = directory.appending(BundleCopy.unfinishedName(.new))
        defer { BundleCopy.remove(unfinished) }
        let installed: Service
        do {
            _ = try Self.read(path, origin: .user)
            do throws(Errno) { try PrivateDirectory.makeMissing(directory) } catch {
                throw CopyFault.system(path: directory.escaped, error)
            }
            removeUnfinished()
            try BundleCopy.copy(path, to: unfinished)
            // Read again, because the original may have changed during the copy.
            let copied = try Self.read(unfinished, origin: .user)
            _ = try ReadablePaths(user: getuid(), ProcessEnvironment.value).resolve(copied.manifest.readable)
            let id = copied.id
            let old: FilePath? = bundle(of: id)
            // In a directory of all users, a path is what another user makes of it.
            let source = [0, getuid()].contains(status.userID.rawValue) ? path.resolved?.escaped : nil
            let question = Question(
                isForRights: copied.manifest.needsConsent(replacing: try? old.map(ServiceBundle.read)?.manifest),
                replaced: replaced(by: id, from: source))
            let answer = consent(copied, question)
            guard answer == true else {
                throw question.replaced == nil
                    ? InstallError.noConsent(id, wasAsked: answer != nil) : .notReplaced(id, wasAsked: answer != nil)
            }
            let target = old ?? freePlace(for: id, in: directory)
            let generation = old.flatMap(ServiceInstallation.init(of:))?.generation
            ServiceInstallation.remove(of: target)
            try BundleCopy.replace(target, with: unfinished)
            if let source { ServiceInstallation(generation: generation, source: source).write(for: target) }
            installed = try Self.read(target, origin: .user)
        } catch let problem as ServiceManifest.Problem {
            throw .damaged(path.escaped, problem)
        } catch let error as InstallError {
            throw error
        } catch {
            throw .cannotCopy(path.escaped, error as? CopyFault ?? .system(path: path.escaped, .ioError))
        }
        return installed
    }

    private func replaced(by id: String, from source: String?) -> Replaced? {
        if let other = service(id: id) {
            return source != nil && other.installation?.source == source ? nil : .service(other)
        }
        if let place = userDirectory?.appending(id + ServiceBundle.suffix), access(place.cString, F_OK) == 0,
            (try? ServiceBundle.read(place)) == nil
        {
            return .damaged(place.escaped)
        }
        return belongings.exist(of: id) ? .leftovers : nil
    }

    /// A bundle that was copied there by hand may have any name, so another service's may have this one's.
    private func freePlace(for id: String, in directory: FilePath) -> FilePath {
        var place = directory.appending(id + ServiceBundle.suffix)
        var number = 2
        while (try? ServiceBundle.read(place)) != nil {
            place = directory.appending("\(id)-\(number)\(ServiceBundle.suffix)")
            number += 1
        }
        return place
    }

    /// Removes a service that the user installed, and what is kept for its id. `name` is its id, or the path or name of its
    /// bundle as installed or as in `list`. Returns whether something was kept.
    @discardableResult
    public func remove(_ name: String) throws(InstallError) -> Bool {
        guard let directory = userDirectory else { throw .noHome }
        removeUnfinished()
        let last = FilePath(name).lastComponent?.string ?? name
        var bundle = bundle(of: name)
        if bundle == nil, last.hasSuffix(ServiceBundle.suffix) {
            // The bundle may be damaged and have no id, or this is the path that it was installed from.
            let named = directory.appending(last)
            if access(named.cString, F_OK) == 0 {
                bundle = named
            } else if let id = try? ServiceBundle.read(FilePath(escaped: name)).manifest.id {
                bundle = self.bundle(of: id)
            }
        }
        guard let bundle else {
            let services = list().services
            guard let other = services.first(where: { $0.id == name }) else {
                if name.isServiceID {
                    ServiceInstallation.remove(of: directory.appending(name + ServiceBundle.suffix))
                    if try belongings.remove(name) { return true }
                }
                throw .unknown(
                    name.printable(limit: 100), installed: services.filter { $0.origin == .user }.map(\.id))
            }
            throw .notYours(other.id, bundle: other.bundle?.escaped)
        }
        // A damaged bundle has no id but its name.
        let id = (try? ServiceBundle.read(bundle))?.manifest.id ?? String(last.dropLast(ServiceBundle.suffix.count))
        let owner = service(id: id)
        let aside = directory.appending(BundleCopy.unfinishedName(.old))
        guard rename(bundle.cString, aside.cString) == 0 else {
            throw .cannotRemove(bundle.escaped, Errno(rawValue: errno))
        }
        var hadBelongings = false
        do throws(InstallError) {
            // What is kept for another bundle with this id stays.
            if id.isServiceID, owner == nil || owner?.bundle == bundle { hadBelongings = try belongings.remove(id) }
        } catch {
            _ = rename(aside.cString, bundle.cString)
            throw error
        }
        ServiceInstallation.remove(of: bundle)
        BundleCopy.remove(aside)
        return hadBelongings
    }

    /// The bundle with this id in the user's directory.
    private func bundle(of id: String) -> FilePath? {
        guard let directory = userDirectory else { return nil }
        return PrivateDirectory.entries(directory).sorted().filter { $0.hasSuffix(ServiceBundle.suffix) }
            .map { directory.appending($0) }
            .first { (try? ServiceBundle.read($0))?.manifest.id == id }
    }

    private func removeUnfinished() {
        for directory in [userDirectory, belongings.data].compactMap(\.self) {
            BundleCopy.removeUnfinished(in: directory)
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
        case .notReplaced(let id, wasAsked: true):
            "The service \(id) is not installed, since it may not replace what has its id."
        case .notReplaced(let id, wasAsked: false):
            "The service \(id) is not installed, since it would replace what has its id, and there is no terminal to agree "
                + "at; install it at one, or with --yes."
        }
    }
}
