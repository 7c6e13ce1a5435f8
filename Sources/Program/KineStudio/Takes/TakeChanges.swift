// What a page's words mean to the engine of a running take: another source, a further destination.
import KineChoices
import KineMedia
import KinePlatform
import KineServices
import SystemPackage

extension RecordingChoice {
    /// Another source for a running take; nil: none is named, or the name cannot be one.
    var takeSource: TakeConfiguration.Source? {
        guard isValid, let source, let name else { return nil }
        var choice = SourceChoice()
        switch source {
        case .monitor: choice.monitor = name
        case .app: choice.application = name
        case .region:
            guard let region = RegionSourceOption(argument: name) else { return nil }
            choice.region = region
        case .window:
            guard let window = WindowOption(argument: name) else { return nil }
            choice.window = window
        }
        // A window of a program belongs to a take's beginning.
        if case .commandWindow? = try? choice.part() { return nil }
        return try? choice.part()
    }
}

/// A further destination of a take.
struct AddedDestination: Decodable {
    let destination: DestinationName
    /// For `live:public`.
    let link: PublicLink?
    /// The values of its service; absent or empty: what the server has.
    let settings: [String: String]?
    /// Whether they are kept.
    let keep: Bool?
}

extension Studio {
    /// The destinations that the person means, with their services' settings. No secret passes through an argument.
    func destinations(of added: AddedDestination) throws -> [TakeConfiguration.Destination] {
        let installed = try StudioService.installed()
        let name = added.destination
        var plan = DestinationPlan()
        if let id = name.service {
            plan.services = [id]
            if let service = installed.first(where: { $0.id == id }) {
                let values = try settings.checked(service, added.settings)
                if added.keep == true {
                    do { try settings.keep(values, of: id) } catch { throw StudioProblem.unwritten(error) }
                }
                plan.returned[id] = values
            }
        } else if name.reach != nil {
            plan.services = [DestinationPlan.defaultService]
            plan.settings = try name.settings(added.link).map { Setting(key: $0.key, value: $0.value) }
        } else if let source = DestinationSource(name.text) {
            plan.addresses = try DestinationReader.forNames.addresses([source], files: [])
        }
        return try plan.destinations(among: installed.map(\.manifest))
    }
}

extension DestinationReader {
    /// Reads the user's file of destinations.
    fileprivate static var forNames: DestinationReader {
        DestinationReader(environment: ProcessEnvironment.value, path: { FilePath(escaped: $0) }, standardInput: { "" })
    }
}
