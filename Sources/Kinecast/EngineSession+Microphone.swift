// The microphone of a take that runs follows a property that may change at any time.
import KineClient

extension EngineSession {
    /// Turns the microphone on or off until the take has it as it is wanted by then. Returns at once: an answer may take long, since the
    /// engine may have to ask a person.
    ///
    /// - Parameter refused: called where the engine refuses, as where the person does not allow it.
    func followMicrophone(
        _ isWanted: @escaping @Sendable () -> Bool, refused: @escaping @Sendable (ClientError) -> Void
    ) {
        Task {
            do throws(ClientError) {
                var isOn: Bool
                repeat {
                    isOn = isWanted()
                    try await setMicrophone(isOn: isOn)
                } while isWanted() != isOn
            } catch {
                refused(error)
            }
        }
    }
}
