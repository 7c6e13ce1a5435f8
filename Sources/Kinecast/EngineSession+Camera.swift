// The camera of a take that runs follows a property that may change at any time.
import KineClient

extension EngineSession {
    /// Changes the camera until the take has it as it is wanted by then. Returns at once: an answer may take long, since the engine
    /// may have to ask a person.
    ///
    /// - Parameters:
    ///   - wanted: the camera that is wanted now.
    ///   - refused: called where the engine refuses.
    func followCamera(
        _ wanted: @escaping @Sendable () -> Camera?, refused: @escaping @Sendable (ClientError) -> Void
    ) {
        Task {
            do throws(ClientError) {
                var camera: Camera?
                repeat {
                    camera = wanted()
                    try await setCamera(camera)
                } while wanted() != camera
            } catch {
                refused(error)
            }
        }
    }
}
