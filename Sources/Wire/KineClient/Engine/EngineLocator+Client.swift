// The engine's place, with the errors of this target.
import KineWire
import SystemPackage

extension EngineLocator {
    /// As `locate`.
    public func engine() throws(ClientError) -> FilePath {
        do throws(EngineLocator.Error) {
            return try locate()
        } catch {
            switch error {
            case .namedUnusable(let path): throw .namedEngineUnusable(path)
            case .notFound(let places): throw .engineNotFound(places: places)
            case .executableUnknown: throw .executableUnknown
            }
        }
    }
}
