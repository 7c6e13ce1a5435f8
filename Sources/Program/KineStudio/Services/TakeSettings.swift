// The settings that a page gives to services, as files for `--set ID.KEY=@FILE`: other users can read arguments.
import FoundationEssentials
import Glibc
import KinePlatform
import KineServices
import KineTakes
import KineText
import SystemPackage

/// The files are in the runtime directory, which only this user can open, until `remove`.
struct TakeSettings: Sendable {
    private static let prefix = "setting-"

    private(set) var arguments: [String] = []
    private var paths: [FilePath] = []

    /// Checks and writes the settings of the chosen services, and keeps those that the person wants to keep. Throws
    /// what `StudioProblem` has a status for.
    ///
    /// - Parameters:
    ///   - call: whose body's `settings` has the values by service and key, and `keep` the services.
    ///   - stored: what the server has of services whose values are not in the request.
    ///   - directory: for the files; nil: the runtime directory.
    init(
        of destinations: [DestinationName], _ call: StudioCall, _ stored: ServiceSettings,
        among installed: () throws -> [Service] = { try StudioService.installed() }, in directory: FilePath? = nil
    ) throws {
        struct Given: Decodable {
            var settings: [String: [String: String]]?
            var keep: [String]?
        }
        let given: Given = try call.value()
        let chosen = destinations.compactMap(\.service)
        guard !chosen.isEmpty else { return }
        let services = try installed()
        let directory = try directory ?? TakeRegistry.standard().common
        // All are checked before one is written: no secret stays after a refusal.
        var settings: [(id: String, values: [String: String])] = []
        for id in chosen {
            guard let service = services.first(where: { $0.id == id }) else {
                throw StudioProblem(.conflict, "The service \(id) is not installed; choose another one.")
            }
            settings.append((id, try stored.checked(service, given.settings?[id])))
        }
        do {
            for (id, values) in settings {
                for (key, value) in values { try add("\(id).\(key)", value, in: directory) }
            }
            for (id, values) in settings where given.keep?.contains(id) == true { try stored.keep(values, of: id) }
        } catch {
            remove()
            throw StudioProblem.unwritten(error)
        }
    }

    private mutating func add(_ setting: String, _ value: String, in directory: FilePath) throws {
        let path = directory.appending("\(Self.prefix)\(UUID().uuidString)")
        try PrivateDirectory.write(Array("\(value)\n".utf8), to: path)
        paths.append(path)
        arguments.append("--set=\(setting)=@\(path.escaped)")
    }

    /// The program has read the files.
    func remove() { for path in paths { _ = unlink(path.cString) } }

    /// Deletes the files of a server that was killed.
    static func removeOld(in directory: FilePath) {
        for name in PrivateDirectory.entries(directory) where name.hasPrefix(prefix) {
            _ = unlink(directory.appending(name).cString)
        }
    }
}
