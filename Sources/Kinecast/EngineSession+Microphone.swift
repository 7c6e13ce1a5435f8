// The microphone of a take that runs follows a property that may change at any time.
import KineClient

extension EngineSession {
    /// Turns the microphone on or off until the take has it as it is wanted by then. An answer may be long in coming, since a person may
    /// be asked first.
    func setMicrophone(_ isWanted: () -> Bool) async throws(ClientError) {
        var isOn: Bool
        repeat {
            isOn = isWanted()
            try await setMicrophone(isOn: isOn)
        } while isWanted() != isOn
    }
}
