// A client's request for a take: its configuration is checked, its services are found, and it is entered in the registry.
import KineMedia
import KinePlatform
import KineServices
import KineWire
import SystemPackage

/// A take that a client has asked for, checked and registered.
struct TakeRequest {
    let configuration: TakeConfiguration
    let destinations: [Destinations.Checked]
    let registration: Registration

    init(_ configuration: TakeConfiguration) throws(EngineError) {
        do throws(TakeConfiguration.Problem) {
            try configuration.validate()
        } catch {
            throw .configuration(error)
        }
        self.configuration = configuration
        destinations = try Destinations.check(
            configuration.destinations, confinement: configuration.confinement, in: Self.catalog)
        do throws(TakeRegistry.Error) {
            registration = try TakeRegistry.standard().register(
                output: configuration.isOutputNumbered ? nil : configuration.file,
                source: configuration.source.description, app: configuration.app, clipBuffer: configuration.clipBuffer)
        } catch {
            throw .registry(error)
        }
    }

    /// The services installed for this user, and those beside this executable.
    static var catalog: ServiceCatalog {
        .standard(executableDirectory: FilePath(escaped: ExecutableSearch.own ?? "/").removingLastComponent())
    }
}
