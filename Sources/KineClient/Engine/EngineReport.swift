// What an engine prints as JSON when it is started for one question: `--list-sources`, `--doctor`.
import FoundationEssentials
import Glibc
import KineControl
import KinePlatform
import SystemPackage

public enum EngineReport {
    /// An audio server or a display server that hangs must not hang this process for ever: nanoseconds.
    private static let patience: Int64 = 20_000_000_000

    /// What there is to record on this machine.
    public static func sources(_ locator: EngineLocator = EngineLocator()) async throws(ClientError) -> SourceList {
        try await BlockingCall.run("kine-report") { () throws(ClientError) in try ask("--list-sources", locator) }
    }

    /// What works on this machine, and what to install or set for the rest.
    public static func doctor(_ locator: EngineLocator = EngineLocator()) async throws(ClientError) -> [DoctorCheck] {
        try await BlockingCall.run("kine-report") { () throws(ClientError) in try ask("--doctor", locator) }
    }

    private static func ask<Answer: Decodable>(_ option: String, _ locator: EngineLocator) throws(ClientError) -> Answer
    {
        let executable = try locator.locate()
        let log = EngineLog()
        let output: [UInt8]
        let ending: ChildProcess.Ending
        do {
            (output, ending) = try run(executable, option, log)
        } catch {
            throw .engineCannotStart(executable: executable, ClientError.StartFault(error))
        }
        guard ending == .exited(status: 0), let answer = try? JSONDecoder().decode(Answer.self, from: Data(output))
        else {
            throw .noReport(executable: executable, option: option, ending, lastWords: log.lastWords())
        }
        return answer
    }

    private static func run(
        _ executable: FilePath, _ option: String, _ log: EngineLog
    ) throws -> ([UInt8], ChildProcess.Ending) {
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        let process: ChildProcess
        do {
            defer { try? pipe.writeEnd.close() }
            var options = ChildProcess.Options()
            options.descriptors = [nil, pipe.writeEnd, log.descriptor]
            // This thread waits for the process, so the process never survives it by accident.
            options.parentDeathSignal = SIGKILL
            process = try ChildProcess(
                executable: executable.string, arguments: [option], environment: ProcessEnvironment.current,
                options: options)
        }
        let deadline = MonotonicClock.now() + patience
        let output = try ChildOutput.read(pipe.readEnd, until: deadline)
        return (output, process.end(signal: 0, deadline: deadline))
    }
}

/// What a child process writes into a pipe.
package enum ChildOutput {
    private static let limit = 16 << 20

    /// What comes until the other end is closed, or until `deadline` (CLOCK_MONOTONIC, nanoseconds). Blocks.
    package static func read(_ pipe: FileDescriptor, until deadline: Int64) throws -> [UInt8] {
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while output.count < limit {
            guard MonotonicClock.now() < deadline, WakeSignal.poll([pipe.rawValue], until: deadline)[0] else { break }
            let count = try chunk.withUnsafeMutableBytes { try pipe.read(into: $0) }
            if count == 0 { break }
            output += chunk[..<count]
        }
        return output
    }
}
