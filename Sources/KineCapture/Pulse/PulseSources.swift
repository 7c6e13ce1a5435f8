// Lists the devices and applications of an audio server, for `kinecast sources`.
import KinePlatform

public enum PulseSources {
    /// Asks the server once. Blocks, three seconds at most: not for Swift's cooperative pool.
    ///
    /// `server` as in PULSE_SERVER; nil asks the environment.
    public static func list(server: String? = nil) throws(AudioCapture.Error) -> AudioInventory {
        let connection: PulseConnection
        do { connection = try PulseConnection(server: server) } catch { throw .noServer(error) }
        defer { connection.close() }
        connection.connect()
        var result: AudioInventory?
        var hasAsked = false
        let deadline = MonotonicClock.now() + 3_000_000_000
        while MonotonicClock.now() < deadline {
            if case .failed(let fault) = connection.state { throw .noServer(fault) }
            if connection.state == .ready && !hasAsked {
                hasAsked = true
                connection.askInventory { result = $0 }
            }
            if let result { return result }
            connection.runOnce(until: deadline)
        }
        throw .noServer(.noAnswer(seconds: 3))
    }
}
