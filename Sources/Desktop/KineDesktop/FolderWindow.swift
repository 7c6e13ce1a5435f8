// The desktop's file manager, which shows where a file is.
import KinePlatform
import KineText

public enum FolderWindow {
    /// Its name on the bus, and its interface (freedesktop.org, file-manager-interface).
    private static let name = "org.freedesktop.FileManager1"
    /// Nanoseconds in which it has to start and to answer.
    private static let timeout: Int64 = 5_000_000_000

    /// Shows a file, selected, in a window of the file manager. Returns whether one has taken the request. Blocks.
    ///
    /// - Parameters:
    ///   - path: absolute, as `String(escaping:)`.
    ///   - address: of the user's bus (`BusAddresses`); nil: there is none.
    public static func show(_ path: String, bus address: String?) -> Bool {
        guard let address, let connection = try? BusConnection(address: address) else { return false }
        var answer: BusConnection.Answer?
        let request = BusCall(
            name, path: "/org/freedesktop/FileManager1", interface: name, "ShowItems",
            [.strings(["file://\(path.addressPath)"]), .string("")])
        connection.call(request) { answer = $0 }
        let end = MonotonicClock.now() + timeout
        while true {
            connection.process()
            if let answer { return (try? answer.get()) != nil }
            guard MonotonicClock.now() < end else { return false }
            var entries = connection.pollEntries
            WakeSignal.poll(&entries, until: min(connection.nextDeadline ?? .max, end))
        }
    }
}
