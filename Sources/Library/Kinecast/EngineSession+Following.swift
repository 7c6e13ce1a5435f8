// Makes the camera and the microphone of a running take follow properties that may change at any time.
import KineClient

extension EngineSession {
    /// Changes the take's camera until it matches the wanted one. Returns at once: the answer may take long, since the
    /// engine may have to ask the person.
    ///
    /// - Parameters:
    ///   - wanted: returns the camera that is wanted now.
    ///   - refused: called if the engine refuses.
    func followCamera(
        _ wanted: @escaping @Sendable () -> Camera?, refused: @escaping @Sendable (ClientError) -> Void
    ) {
        follow(wanted, refused: refused) { (camera) async throws(ClientError) in try await self.setCamera(camera) }
    }

    /// Turns the microphone on or off until the take matches the wanted state. Returns at once, like `followCamera`.
    ///
    /// - Parameter refused: called if the engine refuses: for example, the person does not allow it.
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
