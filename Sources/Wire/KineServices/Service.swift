// A service on this machine: its manifest, and the path of its executable.
import FoundationEssentials
import KinePlatform
import SystemPackage

/// Something that can be broadcast to.
public struct Service: Sendable, Equatable {
    /// The origin of a service. Of two services with one id, the one whose origin is first here is used.
    public enum Origin: String, Sendable {
        /// It comes with Kinecast.
        case builtIn
        /// The user installed it.
        case user
        /// The system's data directories.
        case system
        /// Beside the engine.
        case program
    }

    public var manifest: ServiceManifest
    public var origin: Origin
    /// The bundle's directory; nil: built in.
    public var bundle: FilePath?
    /// Absolute.
    public var executable: FilePath
    /// The places of the keys in its manifest that this version does not know and ignores.
    public var unknownKeys: [String]

    public init(
        manifest: ServiceManifest, origin: Origin, bundle: FilePath?, executable: FilePath, unknownKeys: [String] = []
    ) {
        self.manifest = manifest
        self.origin = origin
        self.bundle = bundle
        self.executable = executable
        self.unknownKeys = unknownKeys
    }

    public var id: String { manifest.id }

    /// Asks for the settings; nil: a person fills them in.
    public var setupProgram: FilePath? {
        guard let bundle, let name = manifest.setupProgram else { return nil }
        return bundle.appending(name)
    }

    /// The key of the setup info that holds the address of `--to`.
    public static let addressKey = "url"

    /// A mistake in the user's settings for a service.
    public enum SetupProblem: Swift.Error, Equatable, Sendable {
        case unknownKey(String, service: String, keys: [String])
        case missing(key: String, title: String, service: String)
        case invalid(key: String, title: String, service: String, ServiceManifest.SetupField.ValueProblem)
        /// The address has a scheme that this service does not take; the address itself may hold secrets.
        case scheme(String, service: String, schemes: [String])
    }

    /// The settings for the extension: the user's, checked, and the manifest's defaults for the rest.
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
            if field.isRequired, info[field.key] ?? "" == "" {
                throw .missing(key: field.key, title: field.title, service: id)
            }
        }
        for field in manifest.setup {
            if let problem = info[field.key].flatMap(field.problem) {
                throw .invalid(key: field.key, title: field.title, service: id, problem)
            }
        }
        if let address = given[Self.addressKey] {
            // A service may also have a field of that name that is no address; it says so by taking no schemes.
            let isPlainField = manifest.urlSchemes.isEmpty && keys.contains(Self.addressKey)
            let scheme = Self.scheme(of: address)
            if !isPlainField, !manifest.urlSchemes.contains(scheme ?? "") {
                throw .scheme(scheme ?? "no scheme", service: id, schemes: manifest.urlSchemes)
            }
        }
        return info
    }

    /// The scheme of an address in small letters; nil if it has none.
    static func scheme(of address: String) -> String? {
        guard let end = address.firstIndex(of: ":"), end != address.startIndex else { return nil }
        let scheme = address[..<end].lowercased()
        return scheme.isURLScheme ? scheme : nil
    }

    /// The picture that its manifest names; nil: none, or it is not in the bundle.
    public var icon: FilePath? {
        guard let bundle, let name = manifest.icon else { return nil }
        let path = bundle.appending(name)
        return ServiceBundle.isInside(path, bundle) ? path : nil
    }

    /// The values of the setup info that must not be shown anywhere.
    public func secrets(in info: [String: String]) -> [String] {
        var keys = Set(manifest.setup.filter(\.isSecret).map(\.key))
        // An address may always hold a key or a password.
        if !manifest.urlSchemes.isEmpty { keys.insert(Self.addressKey) }
        let values = keys.compactMap { key -> [String]? in
            guard let value = info[key] else { return nil }
            return key == Self.addressKey ? [value] + Self.secretParts(of: value) : [value]
        }
        // The longest first: if a part were left out first, the rest of the whole would stay.
        return values.joined().filter { $0.utf8.count >= String.shortestSecret }
            .sorted { $0.utf8.count > $1.utf8.count }
    }

    /// The parts of an address that are secret by themselves: the last part of the path, which is the stream key, with the
    /// query and without, and the password.
    private static func secretParts(of address: String) -> [String] {
        guard var path = address.split(separator: "://", maxSplits: 1).last, path.contains("/") else { return [] }
        while path.last == "/" { path.removeLast() }
        let query = path.firstIndex(of: "?") ?? path.endIndex
        var parts: [Substring] = []
        if let slash = path[..<query].lastIndex(of: "/") {
            parts += [path[path.index(after: slash)...], path[path.index(after: slash)..<query]]
        }
        // "live" is no secret, and a word in many messages.
        var secrets = parts.filter { $0.utf8.count >= 8 }.map(String.init)
        let authority = path.prefix { $0 != "/" }
        if let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") {
            let password = String(authority[authority.index(after: colon)..<at])
            // The password as it was typed, and as the server gets it.
            secrets += [password] + [URL(string: address)?.password(percentEncoded: false)].compactMap { $0 }
        }
        return secrets
    }
}

extension ServiceManifest {
    /// The name of a destination of this service for a person: the service's own, and the public part of its address.
    public func label(for setupInfo: [String: String]) -> String {
        guard !urlSchemes.isEmpty, let address = setupInfo[Service.addressKey].flatMap(DestinationAddress.init)
        else { return name }
        return "\(name) (\(address.publicPart))"
    }
}
