// The services that apps admit to their groups: `$XDG_CONFIG_HOME/kinecast/groups.json`. Apps' libraries write it and
// engines read it; no extension has access to it.
import FoundationEssentials
import KinePlatform

/// The services that this user's apps name for their groups.
public struct GroupStore: Sendable {
    public typealias Error = SettingsFile.Error

    private struct Contents: Codable {
        /// The services, by the identifiers of apps, then of groups.
        var apps: [String: [String: [String]]] = [:]
    }

    private let settings: SettingsFile

    /// - Parameter variable: returns a variable's value.
    public static func standard(_ variable: (String) -> String? = ProcessEnvironment.value) throws(Error) -> GroupStore
    {
        GroupStore(settings: try SettingsFile(named: "groups.json", variable))
    }

    /// Stores the services from an app's file, replacing its older entry. Writes the file only if they differ.
    public func keep(_ services: [String: [String]], of app: String) throws(Error) {
        guard try decode(try settings.contents()).apps[app] ?? [:] != services else { return }
        try settings.update { bytes in
            var contents = try decode(bytes)
            contents.apps[app] = services.isEmpty ? nil : services
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
            return Array(try encoder.encode(contents)) + [UInt8(ascii: "\n")]
        }
    }

    /// Whether a service may share a group: an app names it, or none names any and the person agreed.
    public func admits(_ service: String, to group: String) throws(Error) -> Bool {
        let lists = try decode(try settings.contents()).apps.values.compactMap { $0[group] }
        return lists.isEmpty || lists.contains { $0.contains(service) }
    }

    private func decode(_ bytes: [UInt8]?) throws(Error) -> Contents {
        guard let bytes else { return Contents() }
        guard let contents = try? JSONDecoder().decode(Contents.self, from: Data(bytes)) else {
            throw .damaged(settings.path)
        }
        return contents
    }
}
