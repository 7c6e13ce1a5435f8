// Turns the options and the installed services into the take's destinations: which services run, and the setup info of each.
// Pure, except that it reads the files that settings name.
import KineMedia
import KineProgram
import KineServices
import KineText
import SystemPackage

package struct DestinationPlan {
    package var addresses: [DestinationAddress] = []
    /// The ids of `--service`.
    package var services: [String] = []
    /// The settings of `--set`, and of options that stand for a setting.
    package var settings: [Setting] = []
    /// The kept settings and the results of setup programs, by the ids of their services.
    package var returned: [String: [String: String]] = [:]

    package init(addresses: [DestinationAddress] = [], services: [String] = [], settings: [Setting] = []) {
        (self.addresses, self.services, self.settings) = (addresses, services, settings)
    }

    /// The service used if no destination is named.
    package static let defaultService = "live"

    private struct Chosen {
        var manifest: ServiceManifest
        var address: DestinationAddress?
        var setupInfo: [String: String] = [:]
    }

    /// The destinations, in the order of `--service`, then `--to`. An address goes to the first service named by
    /// `--service` that accepts its scheme and has none yet, else to the first installed service that accepts it.
    package func destinations(among installed: [ServiceManifest]) throws(CommandFailure) -> [TakeConfiguration
        .Destination]
    {
        var chosen: [Chosen] = []
        let named = services.isEmpty && addresses.isEmpty ? [Self.defaultService] : services
        for id in named { chosen.append(Chosen(manifest: try Self.service(id, among: installed))) }
        for address in addresses {
            if let index = chosen.firstIndex(where: {
                $0.address == nil && $0.manifest.urlSchemes.contains(address.scheme)
            }) {
                chosen[index].address = address
            } else {
                let manifest = try Self.service(for: address, among: installed)
                chosen.append(Chosen(manifest: manifest, address: address))
            }
        }
        for index in chosen.indices {
            if let address = chosen[index].address { chosen[index].setupInfo[Service.addressKey] = address.text }
            chosen[index].setupInfo.merge(returned[chosen[index].manifest.id] ?? [:]) { $1 }
        }
        for setting in settings { try apply(setting, to: &chosen) }
        for index in chosen.indices { try Self.complete(&chosen[index]) }
        for one in chosen where one.manifest.id == Self.defaultService {
            // A relative path would not be found: an extension runs in another directory.
            guard let key = one.setupInfo["tls-key"], key.hasPrefix("/") else { continue }
            try PrivateFile(
                path: FilePath(escaped: key), name: "--tls-key", content: "the private key", allowsSystemFiles: true
            )
            .check()
        }
        return Self.labelled(chosen)
    }

    private static func service(
        _ id: String, among installed: [ServiceManifest]
    ) throws(CommandFailure) -> ServiceManifest {
        if let manifest = installed.first(where: { $0.id == id }) { return manifest }
        throw CommandFailure.unavailable(
            "No service is called \(id); kinecast services lists those that are installed "
                + "(\(installed.map(\.id).joined(separator: ", "))).")
    }

    private static func service(
        for address: DestinationAddress, among installed: [ServiceManifest]
    ) throws(CommandFailure) -> ServiceManifest {
        if let manifest = installed.first(where: { $0.urlSchemes.contains(address.scheme) }) { return manifest }
        let schemes = Set(installed.flatMap(\.urlSchemes)).sorted()
        let known = schemes.isEmpty ? "" : " (those installed take \(Quantity.list(schemes)))"
        throw CommandFailure.unavailable(
            "No service takes addresses that begin with \(address.scheme)://\(known); "
                + "install one that does with kinecast services install.")
    }

    private func apply(_ setting: Setting, to chosen: inout [Chosen]) throws(CommandFailure) {
        var key = setting.key
        var takers = chosen.indices.filter { Self.knows(chosen[$0], key) }
        if takers.isEmpty {
            // Ids contain dots, and one id may begin with another: the longest counts.
            let owner = chosen.map(\.manifest.id).filter { key.hasPrefix($0 + ".") }.max { $0.count < $1.count }
            if let owner {
                key = String(key.dropFirst(owner.count + 1))
                takers = chosen.indices.filter { chosen[$0].manifest.id == owner && Self.knows(chosen[$0], key) }
            }
        }
        guard !takers.isEmpty else {
            throw CommandFailure.usage(Self.unknown(setting.key, chosen.map(\.manifest)))
        }
        let value = try setting.value()
        for index in takers { chosen[index].setupInfo[key] = value }
    }

    private static func knows(_ chosen: Chosen, _ key: String) -> Bool {
        chosen.manifest.setup.contains { $0.key == key }
            || key == Service.addressKey && !chosen.manifest.urlSchemes.isEmpty
    }

    private static func unknown(_ key: String, _ manifests: [ServiceManifest]) -> String {
        var listed: Set<String> = []
        let offers = manifests.filter { listed.insert($0.id).inserted }.map { manifest in
            let keys = manifest.setup.map(\.key)
            return "\(manifest.id) takes \(keys.isEmpty ? "no settings" : Quantity.list(keys))"
        }
        return "No chosen service takes the setting \(key); \(offers.joined(separator: ", "))."
    }

    /// Fills in defaults. Throws if a required setting is missing.
    private static func complete(_ chosen: inout Chosen) throws(CommandFailure) {
        let manifest = chosen.manifest
        for field in manifest.setup where chosen.setupInfo[field.key] == nil {
            chosen.setupInfo[field.key] = field.defaultValue
        }
        if let field = manifest.missing(in: chosen.setupInfo).first {
            let isAddress =
                field.key == Service.addressKey || manifest.hasServerAndKey && field.key == Service.serverKey
            let how =
                isAddress && !manifest.urlSchemes.isEmpty
                ? "give it with --to \(manifest.urlSchemes[0])://…"
                : field.isSecret
                    ? "give it with --set \(field.key)=@FILE, which keeps it out of the list of processes"
                    : "give it with --set \(field.key)=VALUE"
            throw CommandFailure.usage("The service \(manifest.id) needs \(field.key) (\(field.title)); \(how).")
        }
        for field in manifest.setup {
            guard let problem = chosen.setupInfo[field.key].flatMap(field.problem) else { continue }
            throw CommandFailure.usage(
                Service.SetupProblem.invalid(key: field.key, title: field.title, service: manifest.id, problem)
                    .description)
        }
    }

    /// Adds numbers to equal labels.
    private static func labelled(_ chosen: [Chosen]) -> [TakeConfiguration.Destination] {
        var taken: [String: Int] = [:]
        return chosen.map { one in
            let name = one.manifest.label(for: one.setupInfo)
            taken[name, default: 0] += 1
            let number = taken[name, default: 1]
            return TakeConfiguration.Destination(
                service: one.manifest.id, setupInfo: one.setupInfo, label: number == 1 ? name : "\(name) \(number)")
        }
    }
}
