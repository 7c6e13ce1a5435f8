// The services of this machine, as the engine finds them: in the user's and the system's directories, and beside the engine.
import KineClient
import KineServices

enum InstalledServices {
    /// The engine that `KINECAST_ENGINE` names counts here too: client and engine see the same services.
    static func catalog() throws(ClientError) -> ServiceCatalog {
        ServiceCatalog.standard(executableDirectory: try EngineLocator().locate().removingLastComponent())
    }

    /// For the shell's completion.
    static func ids() -> [String] { (try? catalog().list().services.map(\.id)) ?? [] }
}
