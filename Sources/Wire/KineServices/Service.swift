// A service on this machine: its manifest, and the path of its executable.
import FoundationEssentials
import KineText
import KineWire
import SystemPackage

/// A service to broadcast to.
public struct Service: Sendable, Equatable {
    /// The origin of a service. If two services have the same id, the one with the earlier origin in this list is used.
    public enum Origin: String, Sendable {
        /// It comes with Kinecast.
        case builtIn
        /// The user installed it.
        case user
        /// The system's data directories.
        case system
        /// It is beside the engine.
        case program
    }

    public var manifest: ServiceManifest
    public var origin: Origin
    /// The bundle's directory; nil for built-in services.
    public var bundle: FilePath?
    /// An absolute path.
    public var executable: FilePath
    /// The executable's arguments.
    public var arguments: [String] { origin == .builtIn ? [id] : [] }
    /// The places of unknown keys in its manifest, which are ignored.
    public var unknownKeys: [String]
    /// Nil: a built-in service, or a bundle that came to its place without `ServiceCatalog`.
    public var installation: ServiceInstallation?

    public init(
        manifest: ServiceManifest, origin: Origin, bundle: FilePath?, executable: FilePath, unknownKeys: [String] = [],
        installation: ServiceInstallation? = nil
    ) {
        self.manifest = manifest
        self.origin = origin
        self.bundle = bundle
        self.executable = executable
        self.unknownKeys = unknownKeys
        self.installation = installation
    }

    public var id: String { manifest.id }

    /// The program that asks for the settings; nil: a person fills them in.
    public var setupProgram: FilePath? {
        guard let bundle, let name = manifest.setupProgram else { return nil }
        return bundle.appending(name)
    }

    /// The rights that a person has to judge: a built-in service is Kinecast itself.
    public var rights: [ServiceRight] { origin == .builtIn ? [] : manifest.rights }

    /// The key for the address of `--to` in the setup info.
    public static let addressKey = "url"
    /// The keys for an address in two settings (`ServiceManifest.hasServerAndKey`).
    public static let serverKey = "server"
    public static let streamKey = "key"

    /// A mistake in the user's settings for a service.
    public enum SetupProblem: Swift.Error, Equatable, Sendable {
        case unknownKey(String, service: String, keys: [String])
        case missing(key: String, title: String, service: String)
        case invalid(key: String, title: String, service: String, ServiceManifest.SetupField.ValueProblem)
        /// The service does not accept the address's scheme; the address itself may contain secrets.
        case scheme(String, service: String, schemes: [String])
    }

    /// The settings for the extension: the user's, checked, with the manifest's defaults for the rest.
    public func setupInfo(from given: [String: String]) throws(SetupProblem) -> [String: String] {
        var info: [String: String] = [:]
        var keys = manifest.setup.map(\.key)
        if !manifest.urlSchemes.isEmpty, !keys.contains(Self.addressKey) { keys.insert(Self.addressKey, at: 0) }
        for (key, value) in given.sorted(by: { $0.key < $1.key }) {
            guard keys.contains(key) || key == Self.addressKey else {
                throw .unknownKey(key.printable(limit: 40), service: id, keys: keys)
            }
            info[key] = value
        }
        for field in manifest.setup where info[field.key] ?? "" == "" {
            if let value = field.defaultValue { info[field.key] = value }
        }
        if let field = manifest.missing(in: info).first {
            throw .missing(key: field.key, title: field.title, service: id)
        }
        for field in manifest.setup {
            if let problem = info[field.key].flatMap(field.problem) {
                throw .invalid(key: field.key, title: field.title, service: id, problem)
            }
        }
        if let address = given[Self.addressKey] {
            // A service may also have a field with this key that is not an address; then it accepts no schemes.
            let isPlainField = manifest.urlSchemes.isEmpty && keys.contains(Self.addressKey)
            let scheme = Self.scheme(of: address)
            if !isPlainField, !manifest.urlSchemes.contains(scheme ?? "") {
                throw .scheme(scheme ?? "no scheme", service: id, schemes: manifest.urlSchemes)
            }
        }
        return info
    }

    /// The scheme of an address in lowercase, if it has one.
    private static func scheme(of address: String) -> String? {
        guard let end = address.firstIndex(of: ":"), end != address.startIndex else { return nil }
        let scheme = address[..<end].lowercased()
        return scheme.isURLScheme ? scheme : nil
    }

    /// The icon that the manifest names; nil if there is none, or if it is not in the bundle.
    public var icon: FilePath? {
        guard let bundle, let name = manifest.icon else { return nil }
        let path = bundle.appending(name)
        return ServiceBundle.isInside(path, bundle) ? path : nil
    }

    /// The values of the setup info that must not be shown.
    public func secrets(in info: [String: String]) -> [String] {
        let values = manifest.secretKeys.map { key -> [String] in
            guard let value = info[key] else { return [] }
            switch key {
            case Self.addressKey: return [value] + Self.secretParts(of: value)
            case Self.streamKey where manifest.hasServerAndKey:
                let server = info[Self.serverKey] ?? ""
                return [value] + Self.secretParts(of: DestinationAddress.text(server: server, key: value))
            default: return [value]
            }
        }
        // The longest first: if a part were removed first, the rest of the whole would remain.
        return values.joined().filter { $0.utf8.count >= String.shortestSecret }
            .sorted { $0.utf8.count > $1.utf8.count }
    }

    /// The secret parts of an address: the last part of the path, which is the stream key, with and without the query,
    /// and the password.
    private static func secretParts(of address: String) -> [String] {
        guard var path = address.split(separator: "://", maxSplits: 1).last, path.contains("/") else { return [] }
        while path.last == "/" { path.removeLast() }
        let query = path.firstIndex(of: "?") ?? path.endIndex
        var parts: [Substring] = []
        if let slash = path[..<query].lastIndex(of: "/") {
            parts += [path[path.index(after: slash)...], path[path.index(after: slash)..<query]]
        }
        // "live" is not a secret, but a word in many messages.
        var secrets = parts.filter { $0.utf8.count >= 8 }.map(String.init)
        let authority = path.prefix { $0 != "/" }
        if let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") {
            let password = String(authority[authority.index(after: colon)..<at])
            // The password as typed, and as the server gets it.
            secrets += [password] + [URL(string: address)?.password(percentEncoded: false)].compactMap { $0 }
        }
        return secrets
    }
}

extension ServiceManifest {
    static let publicURLKey = "public-url"

    /// The settings that a person fills in, in order: the address, where the service takes one, and `setup`.
    public var fields: [SetupField] {
        guard let scheme = urlSchemes.first, !hasServerAndKey, !setup.contains(where: { $0.key == Service.addressKey })
        else { return setup }
        // An address may hold a key or a password.
        return [SetupField(key: Service.addressKey, title: "Address, \(scheme)://…", isSecret: true)] + setup
    }

    /// The required settings without a value, in order. An address of `--to` has the server and the key in it.
    public func missing(in info: [String: String]) -> [SetupField] {
        let hasAddress = hasServerAndKey && !urlSchemes.isEmpty && info[Service.addressKey] ?? "" != ""
        return setup.filter {
            $0.isRequired && info[$0.key] ?? "" == ""
                && !(hasAddress && [Service.serverKey, Service.streamKey].contains($0.key))
        }
    }

    /// The keys of settings that must not be shown. An address may always contain a key or a password.
    package var secretKeys: Set<String> {
        Set(setup.filter(\.isSecret).map(\.key) + (urlSchemes.isEmpty ? [] : [Service.addressKey]))
    }

    /// The name of a destination for a person: the service's name, and the public part of its address.
    public func label(for setupInfo: [String: String]) -> String {
        guard !urlSchemes.isEmpty else { return name }
        var text = setupInfo[Service.addressKey] ?? ""
        if text.isEmpty, hasServerAndKey {
            // Any key: only the address before it is shown.
            text = DestinationAddress.text(server: setupInfo[Service.serverKey] ?? "", key: "-")
        }
        return DestinationAddress(text).map { "\(name) (\($0.publicPart))" } ?? name
    }

    /// How far the link of a service that listens leads; nil of another one.
    package func reach(with setupInfo: [String: String]) -> LinkReach? {
        guard let listen, let address = ListenAddress(setupInfo[listen] ?? "") else { return nil }
        if setupInfo[Self.publicURLKey] ?? "" != "" { return .public }
        return address.isLoopback ? .computer : .network
    }
}
