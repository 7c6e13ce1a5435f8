// The settings that a page gives to services, as files for `--set ID.KEY=@FILE`: other users can read arguments.
import FoundationEssentials
import Glibc
import KineClient
import KinePlatform
import KineServices
import KineWire
import SystemPackage

/// The files are in the runtime directory, which only this user can open, until `remove`.
struct SettingFiles: Sendable {
    private static let prefix = "setting-"

    /// Why there are no files: a sentence.
    struct Problem: Error {
        let sentence: String
    }

    private(set) var arguments: [String] = []
    private var paths: [FilePath] = []

    /// Checks and writes the settings of the chosen services. Throws `Problem` or `ClientError`.
    ///
    /// - Parameter body: the request, whose `settings` has the values by service and key.
    init(of destinations: [DestinationName], _ body: [UInt8]) throws {
        struct Given: Decodable { var settings: [String: [String: String]]? }
        guard let given = StudioJSON.decode(Given.self, body) else {
            throw Problem(sentence: "The settings have a value of another kind; see openapi.json.")
        }
        let chosen = destinations.compactMap(\.service)
        guard !chosen.isEmpty else { return }
        let installed = try StudioService.installed()
        let directory = try TakeRegistry.standard().directory.removingLastComponent()
        // All are checked before one is written: no secret stays after a refusal.
        var settings: [(name: String, value: String)] = []
        for id in chosen {
            guard let service = installed.first(where: { $0.id == id }) else {
                throw Problem(
                    sentence: "The service \(id) is not installed, or asks in a terminal; choose another one.")
            }
            let values = (given.settings?[id] ?? [:]).filter { !$0.value.isEmpty }
            do throws(Service.SetupProblem) {
                _ = try service.setupInfo(from: values)
            } catch {
                throw Problem(sentence: error.description)
            }
            settings += values.map { ("\(id).\($0.key)", $0.value) }
        }
        for setting in settings { try add(setting.name, setting.value, in: directory) }
    }

    private mutating func add(_ setting: String, _ value: String, in directory: FilePath) throws {
        let path = directory.appending("\(Self.prefix)\(UUID().uuidString)")
        do {
            try PrivateDirectory.write(Array("\(value)\n".utf8), to: path)
        } catch {
            remove()
            throw Problem(sentence: "\(directory) has no room for the settings (\(error)); free some, and try again.")
        }
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
