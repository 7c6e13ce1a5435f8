// The services of this machine, as the engine finds them: in the user's and the system's directories, and beside the engine.
import KineClient
import KineServices
import KineWire

enum InstalledServices {
    /// The catalog with the built-in services beside the engine, also where `KINECAST_ENGINE` names that one.
    static func catalog() throws(ClientError) -> ServiceCatalog {
        ServiceCatalog.standard(executableDirectory: try EngineLocator().engine().removingLastComponent())
    }

    /// The services' ids, for the shell's completion.
    static func ids() -> [String] { (try? catalog().list().services.map(\.id)) ?? [] }
}
