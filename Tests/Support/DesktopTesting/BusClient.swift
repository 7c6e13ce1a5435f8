// A connection with a bus whose calls wait for their answers.
import Glibc
import KineDesktop
import KinePlatform

/// A program on a bus. Used by one thread; what it has asked for ends with it.
package final class BusClient {
    package struct NoAnswer: Error {
        package var member: String
    }

    private static let timeout: Int64 = 60_000_000_000
    private let connection: BusConnection

    package init(_ bus: TestBus) throws { connection = try BusConnection(address: bus.address) }

    /// Calls a method and waits for the answer.
    @discardableResult
    package func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) throws -> [BusValue] {
        var answer: BusConnection.Answer?
        connection.call(BusCall(destination, path: path, interface: interface, member, arguments)) { answer = $0 }
        let deadline = MonotonicClock.now() + Self.timeout
        while true {
            connection.process()
            if let answer { return try answer.get() }
            guard !connection.isClosed, MonotonicClock.now() < deadline else { throw NoAnswer(member: member) }
            var entries = connection.pollEntries
            WakeSignal.poll(&entries, until: min(deadline, connection.nextDeadline ?? deadline))
        }
    }

    /// Whether somebody has that name.
    package func hasOwner(_ name: String) throws -> Bool {
        try call(
            BusDaemon.name, BusDaemon.path, BusDaemon.name, "NameHasOwner", [.string(name)]
        ).first?.asBoolean ?? false
    }
}
