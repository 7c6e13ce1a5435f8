// The services of this machine: the built-in ones, and the bundles in the user's, the system's and the program's directories.
// ServiceCatalog+Installing installs and removes them.
import KinePlatform
import KineText
import SystemPackage

/// Finds services. Reads the directories each time.
public struct ServiceCatalog: Sendable {
    /// A directory that may have bundles.
    struct Place: Sendable, Equatable {
        var origin: Service.Origin
        var directory: FilePath
    }

    /// In search order.
    let places: [Place]
    let executableDirectory: FilePath
    let belongings: ServiceBelongings

    /// The services of this user.
    ///
    /// - Parameters:
    ///   - environment: returns the value of a variable: XDG_DATA_HOME, XDG_DATA_DIRS, XDG_CONFIG_HOME, HOME.
    ///   - executableDirectory: the directory of `kinecast-engine`.
    public static func standard(
        environment: (String) -> String? = ProcessEnvironment.value, executableDirectory: FilePath
    ) -> ServiceCatalog {
        func services(_ directory: FilePath) -> FilePath { directory.appending("kinecast/services") }
        return ServiceCatalog(
            user: UserDirectories.ownData(environment).map(services),
            system: UserDirectories.systemData(environment).map(services), executableDirectory: executableDirectory,
            settings: KeptSettings(in: UserDirectories.configuration(environment)))
    }

    /// `user`: the directory for installed services, if there is one.
    init(user: FilePath?, system: [FilePath], executableDirectory: FilePath, settings: KeptSettings) {
        places =
            (user.map { [Place(origin: .user, directory: $0)] } ?? [])
            + system.map { Place(origin: .system, directory: $0) }
            + [Place(origin: .program, directory: executableDirectory)]
        self.executableDirectory = executableDirectory
        // As in `ServiceSandbox.dataDirectory`.
        belongings = ServiceBelongings(settings: settings, data: user?.removingLastComponent().appending("data"))
    }

    /// The services, the built-in ones first, then by id; and a sentence for each bundle that was left out.
    public func list() -> (services: [Service], problems: [String]) {
        var services = BuiltInServices.manifests.map(builtIn)
        let reserved = services.count
        var problems: [String] = []
        for place in places {
            var found: [Service] = []
            for name in PrivateDirectory.entries(place.directory).sorted() where name.hasSuffix(ServiceBundle.suffix) {
                let bundle = place.directory.appending(name)
                do throws(ServiceManifest.Problem) {
                    let service = try Self.read(bundle, origin: place.origin)
                    if let other = found.first(where: { $0.id == service.id }) {
                        throw ServiceManifest.Problem(
                            [ServiceManifest.CodingKeys.id],
                            "is \"\(service.id)\", as that of \(other.bundle?.escaped ?? "another")")
                    }
                    found.append(service)
                } catch {
                    problems.append(
                        "The service in \(bundle) is left out: in its \(ServiceBundle.manifestName), \(error); "
                            + "correct it or remove the bundle.")
                }
            }
            // A user's service hides the system's with the same id, as in every search path.
            services += found.filter { service in !services.contains { $0.id == service.id } }
        }
        return (services[..<reserved] + services[reserved...].sorted { $0.id < $1.id }, problems)
    }

    /// The service with this id.
    public func service(id: String) -> Service? { list().services.first { $0.id == id } }

    private func builtIn(_ manifest: ServiceManifest) -> Service {
        Service(
            manifest: manifest, origin: .builtIn, bundle: nil,
            executable: executableDirectory.appending(manifest.executable))
    }

    static func read(_ bundle: FilePath, origin: Service.Origin) throws(ServiceManifest.Problem) -> Service {
        let (manifest, unknownKeys) = try ServiceBundle.read(bundle)
        guard !BuiltInServices.isReserved(manifest.id) else {
            throw ServiceManifest.Problem(
                [ServiceManifest.CodingKeys.id], "is \"\(manifest.id)\", which is a built-in service's")
        }
        return Service(
            manifest: manifest, origin: origin, bundle: bundle, executable: bundle.appending(manifest.executable),
            unknownKeys: unknownKeys, installation: origin == .user ? ServiceInstallation(of: bundle) : nil)
    }
}

extension Service {
    /// A sentence for each ignored key of the manifest.
    public var ignoredKeys: [String] {
        unknownKeys.map { key in
            "In the \(ServiceBundle.manifestName) of the service \(id), \(key) is not known to this Kinecast and is ignored; "
                + "check its spelling."
        }
    }
}
