// Engines that are started for one question and print the answer as JSON: `--list-sources`, `--doctor`.
import FoundationEssentials
import Glibc
import KineControl
import KinePlatform
import SystemPackage

public enum EngineReport {
    /// The most time for an answer, in nanoseconds: an audio or display server may hang.
    private static let patience: Int64 = 20_000_000_000

    /// The sources that this machine can record.
    public static func sources(_ locator: EngineLocator = EngineLocator()) async throws(ClientError) -> SourceList {
        try await BlockingCall.run("kine-report") { () throws(ClientError) in try ask("--list-sources", locator) }
    }

    /// The checks of this machine, with a remedy for each that failed.
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
            // The signal comes when the starting thread ends, which is this one, and it waits for the process.
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

/// The output of a child process, through a pipe.
package enum ChildOutput {
    /// Reads until the other end is closed, until `deadline` (CLOCK_MONOTONIC, nanoseconds) or until `limit` bytes have come. Blocks.
    package static func read(
        _ pipe: FileDescriptor, until deadline: Int64, atMost limit: Int = 16 << 20
    ) throws -> [UInt8] {
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
