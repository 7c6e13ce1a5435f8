// A program of this package that does what the lines on its standard input say, and answers in lines on its standard output.
import Glibc
import KinePlatform
import SystemPackage

/// A running program. It ends when the last reference goes, and with the thread that made it.
package final class CommandedProcess {
    private let name: String
    private let process: HeldProcess

    /// Called now and then in all waits, and after each line.
    package var whileWaiting: () -> Void = {}

    /// Starts the executable `name`, which is beside the one that runs now.
    package init(_ name: String, _ arguments: [String], environment: [String]) throws {
        self.name = name
        process = try HeldProcess(name, arguments, environment: environment, holdsInput: true)
    }

    /// Ends the program as a crash would, and waits for it.
    package func end() { process.kill() }

    /// Sends a line, without waiting for an answer.
    package func begin(_ command: String) throws { try process.send(command) }

    /// Waits for a line that `isWanted`. Returns it and those before it.
    @discardableResult
    package func lines(until what: String, _ isWanted: (String) -> Bool) throws -> [String] {
        let deadline = MonotonicClock.now() + Tool.timeout
        var lines: [String] = []
        while MonotonicClock.now() < deadline {
            guard WakeSignal.poll([process.output.rawValue], until: MonotonicClock.now() + 5_000_000)[0] else {
                whileWaiting()
                continue
            }
            guard let line = Tool.readLine(process.output, until: deadline) else { break }
            whileWaiting()
            lines.append(line)
            if isWanted(line) { return lines }
        }
        throw Tool.Error.failed(
            name: name, ending: process.process.end(signal: SIGKILL, deadline: 0), complaint: "it did not say \(what)")
    }

    /// As above, for a line that is known.
    @discardableResult
    package func lines(until wanted: String) throws -> [String] { try lines(until: wanted) { $0 == wanted } }
}
