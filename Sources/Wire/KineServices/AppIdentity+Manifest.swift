// `kinecast-app.json`: an app's description of itself, in a file beside its executable.
import KineMedia
import KinePlatform
import SystemPackage

extension AppIdentity {
    /// The file's name.
    public static let fileName = "kinecast-app.json"
    /// The version of the file format that this program supports.
    private static let formVersion = 1

    private struct Manifest: Decodable {
        enum CodingKeys: CodingKey { case kinecast, identifier, name, icon, desktopFile, urlSchemes, groups }

        var identity: AppIdentity

        init(from decoder: any Decoder) throws {
            let file = try decoder.object(CodingKeys.self)
            // Checked first: in another version the other keys may have other meanings.
            if let version = try file.whole(.kinecast, 0...Int(Int32.max)), version != formVersion {
                throw file.problem(
                    .kinecast, "is \(version) and this Kinecast reads \(formVersion); use a newer Kinecast")
            }
            let identifier = try file.decode(String.self, forKey: .identifier)
            guard identifier.isServiceID else { throw file.problem(.identifier, String.serviceIDRule) }
            identity = AppIdentity(identifier: identifier, name: try file.line(.name))
            identity.icon = try file.line(.icon, limit: 1000)
            identity.desktopFile = try file.line(.desktopFile)
            identity.urlSchemes = try file.words(
                .urlSchemes, "a scheme in small letters, such as \"exampleapp\"", where: \.isURLScheme)
            if let services = try file.wordLists(.groups, "an identifier", where: \.isServiceID) {
                identity.groups = services.keys.sorted()
                identity.groupServices = services
            } else {
                identity.groups = try file.words(.groups, String.serviceIDRule, where: \.isServiceID)
            }
        }
    }

    /// The reason why an app's file cannot be used.
    public enum FileProblem: Error, Sendable, CustomStringConvertible {
        case unreadable(FilePath, Errno)
        case damaged(FilePath, ServiceManifest.Problem)

        public var description: String {
            switch self {
            case .unreadable(let file, let error): "\(file) cannot be read (\(error)); correct its permissions."
            case .damaged(let file, let problem): "In \(file), \(problem); correct it."
            }
        }
    }

    /// The identity in `kinecast-app.json` beside an executable; without such a file, the executable's name.
    public static func of(executable: FilePath) throws(FileProblem) -> AppIdentity {
        let file = executable.removingLastComponent().appending(fileName)
        let bytes: [UInt8]
        do {
            let descriptor = try FileDescriptor.open(file, .readOnly, options: [.closeOnExec, .nonBlocking])
            defer { try? descriptor.close() }
            bytes = try descriptor.readToEnd(atMost: ServiceManifest.fileLimit + 1)
        } catch Errno.noSuchFileOrDirectory {
            let name = executable.lastComponent?.string ?? executable.string
            return AppIdentity(identifier: name.asIdentifier, name: name)
        } catch {
            throw .unreadable(file, error as? Errno ?? .ioError)
        }
        do throws(ServiceManifest.Problem) {
            return try read(bytes)
        } catch {
            throw .damaged(file, error)
        }
    }

    /// Reads the bytes of a `kinecast-app.json`. Unknown keys are ignored.
    public static func read(_ bytes: [UInt8]) throws(ServiceManifest.Problem) -> AppIdentity {
        try ServiceManifest.decode(Manifest.self, from: bytes).identity
    }
}

extension String {
    /// An executable's name, with a hyphen for each character that an identifier must not have.
    fileprivate var asIdentifier: String {
        let name = String(map { String($0).isServiceID || "._-".contains($0) ? $0 : "-" }.prefix(80))
        return name.isServiceID ? name : "app" + name
    }
}
