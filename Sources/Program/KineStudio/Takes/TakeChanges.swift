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

extension Studio {
    /// The destinations that the person means, with what is kept for their services. No secret passes through an argument.
    func destinations(of name: DestinationName) throws -> [TakeConfiguration.Destination] {
        let installed = try StudioService.installed()
        var plan = DestinationPlan()
        if let id = name.service {
            plan.services = [id]
            if let service = installed.first(where: { $0.id == id }) {
                let values = settings.values(of: service, [:])
                guard service.setupProgram == nil || !values.isEmpty else {
                    throw StudioProblem(
                        .conflict, "\(service.manifest.name) has to be set up first; do that among its settings.")
                }
                plan.returned[id] = values
            }
        } else if let source = DestinationSource(name.text) {
            plan.addresses = try DestinationReader.forNames.addresses([source], files: [])
        } else {
            plan.services = [name.text]
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
