// The camera and the microphone of a take that runs follow properties that may change at any time.
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
        follow(wanted, refused: refused) { (camera) async throws(ClientError) in try await self.setCamera(camera) }
    }

    /// Turns the microphone on or off until the take has it as it is wanted by then. Returns at once, as `followCamera` does.
    ///
    /// - Parameter refused: called where the engine refuses, as where the person does not allow it.
    func followMicrophone(
        _ isWanted: @escaping @Sendable () -> Bool, refused: @escaping @Sendable (ClientError) -> Void
    ) {
        follow(isWanted, refused: refused) { (isOn) async throws(ClientError) in
            try await self.setMicrophone(isOn: isOn)
        }
    }

    private func follow<Value: Equatable & Sendable>(
        _ wanted: @escaping @Sendable () -> Value, refused: @escaping @Sendable (ClientError) -> Void,
        set: @escaping @Sendable (Value) async throws(ClientError) -> Void
    ) {
        Task {
            do throws(ClientError) {
                var value: Value
                repeat {
                    value = wanted()
                    try await set(value)
                } while wanted() != value
            } catch {
                refused(error)
            }
        }
    }
}
