// Runs the setup programs of services with the person at the terminal, as the picker of an app does.
import KineChoices
import KineClient
import KineMedia
import KinePlatform
import KineProgram
import KineServices
import Kinecast

extension DestinationPlan {
    /// The plan with the kept settings of `--service`, or the results of their setup programs where none are kept and `--set`
    /// gives none. Kept settings may be for another server, so they are not used where `--set` and `--to` give every
    /// setting that a service requires.
    func asking(_ installed: [Service], kept: KeptSettings = KeptSettings()) throws(CommandFailure) -> DestinationPlan {
        var plan = self
        var asked: Set<String> = []
        for id in services where asked.insert(id).inserted {
            guard let service = installed.first(where: { $0.id == id }) else { continue }
            let given = keys(givenTo: service)
            let required = service.manifest.setup.filter(\.isRequired).map(\.key)
            if given.isEmpty || !given.isSuperset(of: required), let settings = try kept.settings(of: service) {
                plan.returned[id] = settings.filter { !given.contains($0.key) }
            } else if service.setupProgram != nil, given.isEmpty {
                plan.returned[id] = try Self.ask(service)
            }
        }
        return plan
    }

    /// The keys of the service that `--set` and `--to` give.
    private func keys(givenTo service: Service) -> Set<String> {
        let manifest = service.manifest
        let known = manifest.setup.map(\.key) + (manifest.urlSchemes.isEmpty ? [] : [Service.addressKey])
        let typed = settings.map(\.key)
        var keys = Set(known.filter { typed.contains($0) || typed.contains("\(service.id).\($0)") })
        if addresses.contains(where: { manifest.urlSchemes.contains($0.scheme) }) { keys.insert(Service.addressKey) }
        guard manifest.hasServerAndKey else { return keys }
        // An address stands for both of them, and either replaces one that is kept.
        let parts = [Service.serverKey, Service.streamKey]
        if keys.contains(Service.addressKey) { return keys.union(parts) }
        return keys.isDisjoint(with: parts) ? keys : keys.union([Service.addressKey])
    }

    private static func ask(_ service: Service) throws(CommandFailure) -> [String: String] {
        do throws(BroadcastError) {
            let setup = try MainThread.shared.wait { () async throws(BroadcastError) in
                try await BroadcastService(service).setUp(app: AppIdentity(identifier: "kinecast", name: "Kinecast"))
            }
            if let address = setup.broadcastURL {
                Terminal.standardError.line("\(setup.service.name) says where to watch: \(address.absoluteString)")
            }
            return setup.info
        } catch {
            throw CommandFailure(error, of: service)
        }
    }
}

extension KeptSettings {
    /// Nil: none are kept.
    fileprivate func settings(of service: Service) throws(CommandFailure) -> [String: String]? {
        guard let path = file(of: service.id) else { return nil }
        guard let text = try PrivateFile(path: path, name: "--service \(service.id)", content: "secrets").text() else {
            return nil
        }
        guard let settings = Self.settings(in: Array(text.utf8)) else {
            throw CommandFailure.usage(
                "\(path), with the kept settings of \(service.id), is not a JSON object of texts; delete it.")
        }
        return settings
    }
}

extension CommandFailure {
    fileprivate init(_ error: BroadcastError, of service: Service) {
        self =
            switch error.code {
            case .noPresenter:
                CommandFailure.unavailable(
                    "The service \(service.id) asks for its settings at the terminal, and cannot here; give them with "
                        + "--set KEY=VALUE.")
            case .cancelled: CommandFailure(status: ExitStatus.noPermission, message: error.message)
            case .unknownField, .missingField, .invalidField: .usage(error.message)
            default: CommandFailure(status: ExitStatus.unavailable, message: error.message)
            }
    }
}

// The services installed on this machine: in the user's and the system's directories, and beside the engine.
enum InstalledServices {
    /// The catalog with the built-in services beside the engine, even if `KINECAST_ENGINE` names that engine.
    static func catalog() throws(ClientError) -> ServiceCatalog {
        ServiceCatalog.standard(executableDirectory: try EngineLocator().engine().removingLastComponent())
    }

    /// The services' ids, for shell completion.
    static func ids() -> [String] { (try? catalog().list().services.map(\.id)) ?? [] }
}
