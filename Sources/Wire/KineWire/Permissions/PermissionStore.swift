// The person's decisions, in `$XDG_CONFIG_HOME/kinecast/permissions.json`. Written by engines and the command.
import FoundationEssentials
import KinePlatform
import SystemPackage

/// The decisions about all apps of this user. Calls block for a small file; any process may call them.
public struct PermissionStore: Sendable {
    public typealias Error = SettingsFile.Error

    private struct Contents: Codable {
        var apps: [AppPermissions] = []
    }

    private let settings: SettingsFile

    public var file: FilePath { settings.path }

    public init(file: FilePath) { settings = SettingsFile(file) }

    public static func standard(
        _ variable: (String) -> String? = ProcessEnvironment.value
    ) throws(Error) -> PermissionStore {
        PermissionStore(file: try SettingsFile(named: "permissions.json", variable).path)
    }

    /// All decisions, in the order in which apps first asked. Empty if there is no file.
    public func list() throws(Error) -> [AppPermissions] { try decode(try settings.contents()).apps }

    private func decode(_ bytes: [UInt8]?) throws(Error) -> Contents {
        guard let bytes else { return Contents() }
        guard let contents = try? JSONDecoder().decode(Contents.self, from: Data(bytes)) else { throw .damaged(file) }
        return contents
    }

    public func permissions(of subject: PermissionSubject) throws(Error) -> AppPermissions? {
        try list().first { $0.subject == subject }
    }

    /// Stores a decision.
    public func decide(
        _ decision: AppPermissions.Decision, _ kinds: Set<PermissionKind>, for subject: PermissionSubject, name: String?
    ) throws(Error) {
        try update { apps in
            let index = apps.firstIndex { $0.subject == subject } ?? apps.endIndex
            if index == apps.endIndex { apps.append(AppPermissions(subject: subject, decided: 0)) }
            apps[index].name = name ?? apps[index].name
            apps[index].decided = Date().timeIntervalSince1970.rounded()
            for kind in kinds { apps[index][kind] = decision }
        }
    }

    /// Revokes decisions, so that the person is asked again. Returns the removed ones.
    public func revoke(where isWanted: (AppPermissions) -> Bool) throws(Error) -> [AppPermissions] {
        var removed: [AppPermissions] = []
        try update { apps in
            removed = apps.filter(isWanted)
            apps.removeAll(where: isWanted)
        }
        return removed
    }

    private func update(_ change: (inout [AppPermissions]) -> Void) throws(Error) {
        try settings.update { bytes in
            var contents = try decode(bytes)
            change(&contents.apps)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            return Array(try encoder.encode(contents)) + [UInt8(ascii: "\n")]
        }
    }
}
