// A directory that an app and its extensions share.
import FoundationEssentials
// A program that imports only this module also gets KineMedia's sample times, sizes, damage and pixels.
@_exported import KineMedia
import KinePlatform
import KineServices
import KineText
import KineWire
import SystemPackage

/// The shared directory of a group of apps and extensions of one user.
///
/// An app is a member of the groups under `groups` in its `kinecast-app.json`, an extension of those in its
/// `manifest.json`. If the app's file names services, `"groups": {"ID": ["SERVICE"]}`, only these are members. The
/// engine passes an extension the directory, and its sandbox allows access there and nowhere else. Membership separates
/// honest programs only: any unconfined program of the same user can read and write the directory.
///
/// ## Topics
///
/// ### Files
///
/// - ``url``
/// - ``publish(file:as:keepingOriginal:)-(URL,_,_)``
/// - ``publish(file:as:keepingOriginal:)-(FilePath,_,_)``
/// - ``publish(_:as:)``
/// - ``files()``
/// - ``contents(of:limit:)``
/// - ``remove(_:)``
/// - ``changes()``
public struct GroupContainer: Sendable, Equatable {
    /// The group's identifier: letters, digits, `.`, `-` and `_`, such as "org.example.recorder".
    public let identifier: String
    /// The directory's absolute path.
    public let path: FilePath
    /// The directory, which only its owner may enter. Names that begin with a dot belong to the library.
    public var url: URL { URL(filePath: path.string, directoryHint: .isDirectory) }

    /// The container of a group that this process is a member of. Creates the directory if it is missing.
    public init(identifier: String) throws(GroupError) {
        guard identifier.isServiceID else { throw .invalidIdentifier(identifier) }
        if EngineLink.shared.isExtension {
            guard let start = EngineLink.shared.start else { throw .notStarted }
            guard let place = start.groups.first(where: { $0.identifier == identifier }) else {
                throw .notAMember(
                    identifier, manifest: "manifest.json, and name the service in the app's kinecast-app.json")
            }
            self.init(identifier: identifier, path: FilePath(escaped: place.path))
            return
        }
        guard let executable = ExecutableSearch.own else { throw .unknownExecutable }
        let app: AppIdentity
        do throws(AppIdentity.FileProblem) {
            app = try AppIdentity.of(executable: FilePath(escaped: executable))
        } catch {
            throw .unreadableManifest("\(error)")
        }
        guard app.groups.contains(identifier) else {
            let manifest = FilePath(escaped: executable).removingLastComponent().appending(AppIdentity.fileName)
            throw .notAMember(identifier, manifest: manifest.escaped)
        }
        do throws(GroupStore.Error) {
            try GroupStore.standard().keep(app.groupServices, of: app.identifier)
        } catch {
            // Without services in the app's file, there is nothing new to store.
            if !app.groupServices.isEmpty { throw .servicesNotKept("\(error)") }
        }
        try self.init(unchecked: identifier)
    }

    /// The container of any group, for programs that are not an app, and for tests.
    package init(unchecked identifier: String, environment: [String]? = nil) throws(GroupError) {
        do throws(UserDataDirectory.Error) {
            self.init(
                identifier: identifier, path: try GroupDirectory.make(for: identifier, environment: environment))
        } catch {
            throw .noDirectory("\(error)")
        }
    }

    private init(identifier: String, path: FilePath) {
        self.identifier = identifier
        self.path = path
    }

    /// The directory for the library's own files of the group.
    var internals: FilePath { path.appending(GroupDirectory.internals) }
}

extension String {
    /// Whether this can be the name of a file that the library creates for a group.
    var isGroupFileName: Bool {
        guard let first = utf8.first, first != 0x2e else { return false }
        return utf8.count <= 200 && !utf8.contains(0x2f) && utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }
}
