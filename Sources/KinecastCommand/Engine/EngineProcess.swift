// Starting the engine: once for a take, or for a question that it answers on standard output.
import CLinux
import FoundationEssentials
import Glibc
import KineControl
import KinePlatform
import KineRelay
import SystemPackage

/// An engine that this process started, with the control channel to it.
struct EngineProcess {
    let process: ChildProcess
    let connection: ClientConnection
    let log: EngineLog

    /// Starts an engine in a session of its own, so that the terminal's signals do not reach it and it outlives this
    /// process. Its descriptors: 0 and 1 null, 2 the log, 3 its end of the control channel.
    static func start() throws -> EngineProcess {
        let executable = try EngineLocator.locate()
        let log = EngineLog()
        do {
            let (connection, engineEnd) = try ClientConnection.pair()
            defer { try? engineEnd.close() }
            let null = try FileDescriptor.open("/dev/null", .readWrite, options: .closeOnExec)
            defer { try? null.close() }
            var options = ChildProcess.Options()
            options.descriptors = [null, null, log.descriptor, engineEnd]
            options.newSession = true
            // It is told stream keys; they shall not lie on the disk.
            options.confinement = ChildProcess.Confinement()
            options.confinement?.noNewPrivileges = false
            let process = try ChildProcess(
                executable: executable.string, arguments: [], environment: ProcessEnvironment.current, options: options)
            return EngineProcess(process: process, connection: connection, log: log)
        } catch {
            throw CommandFailure(
                status: ExitStatus.unavailable,
                message: "The engine \(executable) cannot be started: \(error); check its permissions and ulimit.")
        }
    }

    /// Asks an engine of its own for something that it prints as JSON: `--list-sources`, `--doctor`.
    static func ask<Answer: Decodable>(_ option: String, for type: Answer.Type = Answer.self) throws -> Answer {
        let executable = try EngineLocator.locate()
        let log = EngineLog()
        let output: [UInt8]
        let ending: ChildProcess.Ending
        do {
            let pipe = try FileDescriptor.pipe()
            defer { try? pipe.readEnd.close() }
            let process: ChildProcess
            do {
                defer { try? pipe.writeEnd.close() }
                var options = ChildProcess.Options()
                options.descriptors = [nil, pipe.writeEnd, log.descriptor]
                options.parentDeathSignal = SIGKILL
                process = try ChildProcess(
                    executable: executable.string, arguments: [option], environment: ProcessEnvironment.current,
                    options: options)
            }
            // A sound server or an X server that hangs must not hang this process for ever.
            let deadline = MonotonicClock.now() + 20_000_000_000
            output = try read(pipe.readEnd, until: deadline)
            ending = process.end(signal: 0, deadline: deadline)
        } catch {
            throw CommandFailure(
                status: ExitStatus.unavailable,
                message: "The engine \(executable) cannot be started: \(error); check its permissions and ulimit.")
        }
        guard ending == .exited(status: 0), let answer = try? JSONDecoder().decode(type, from: Data(output)) else {
            throw CommandFailure(
                status: ExitStatus.engineDied,
                message: "\(executable) \(option) gave no answer (\(HumanText.ending(ending)))"
                    + "\(log.lastWords().map { ", its last words: \($0)" } ?? ""); "
                    + "try again with \(EngineLog.variable)=1 to see what it says.")
        }
        return answer
    }

    /// What comes until the other end is closed, or until `deadline` (CLOCK_MONOTONIC, nanoseconds).
    static func read(_ pipe: FileDescriptor, until deadline: Int64) throws -> [UInt8] {
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while output.count < 16 << 20 {
            guard MonotonicClock.now() < deadline, WakeSignal.poll([pipe.rawValue], until: deadline)[0] else { break }
            let count = try chunk.withUnsafeMutableBytes { try pipe.read(into: $0) }
            if count == 0 { break }
            output += chunk[..<count]
        }
        return output
    }
}

extension HumanText {
    /// How a process ended, in a sentence.
    static func ending(_ ending: ChildProcess.Ending) -> String {
        switch ending {
        case .exited(let status): "exit status \(status)"
        case .killed(let signal): "killed by signal \(signal), \(String(cString: strsignal(signal)))"
        }
    }
}
