// Starts an engine for one question: it reads standard input, prints the answer as JSON, and ends.
import FoundationEssentials
import Glibc
import KineMedia
import KinePlatform
import KineText
import KineWire
import SystemPackage

struct EngineQuestion {
    /// The option for the engine's command line.
    var option: String
    /// The engine's standard input, if any.
    var input: Data?
    /// The longest wait for an answer, in nanoseconds; nil: no limit.
    var timeout: Int64?
    /// The most bytes of an answer.
    var largestAnswer = 16 << 20
    /// Gets the progress, from 0 to 1, if the engine sends it before its answer.
    var progress: (@Sendable (Double) -> Void)?
    /// Whether it reads foreign files: it then gains no privileges, and a crash leaves no file contents in a core file.
    var readsFiles = false

    /// Blocks until there is an answer. Cancelling kills the engine.
    func ask<Answer: Decodable>(
        _ locator: EngineLocator, _ cancellation: Cancellation = Cancellation()
    ) throws(ClientError) -> Answer {
        let executable = try locator.engine()
        let log = EngineLog()
        let output: [UInt8]
        let ending: ChildProcess.Ending
        do {
            (output, ending) = try run(executable, log, cancellation)
        } catch {
            throw .engineCannotStart(executable: executable, ClientError.StartFault(error))
        }
        guard !cancellation.isCancelled else { throw .cancelled }
        guard ending == .exited(status: 0), let answer = try? JSONDecoder().decode(Answer.self, from: Data(output))
        else {
            throw .noReport(executable: executable, option: option, ending, stderrTail: log.stderrTail())
        }
        return answer
    }

    private func run(
        _ executable: FilePath, _ log: EngineLog, _ cancellation: Cancellation
    ) throws -> ([UInt8], ChildProcess.Ending) {
        let input = try input.map { try MemoryInput($0, name: "kinecast-question") }
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        let process: ChildProcess
        do {
            defer { try? pipe.writeEnd.close() }
            var options = ChildProcess.Options()
            options.descriptors = [input?.descriptor, pipe.writeEnd, log.descriptor]
            // The signal comes when the starting thread ends: this one, which waits for the process.
            options.parentDeathSignal = SIGKILL
            // The engine stays in this process's group; a shell's background job ignores Ctrl-C.
            options.ignoredSignals = SignalDescriptor.ignored(among: [SIGHUP, SIGINT, SIGQUIT])
            if readsFiles { options.confinement = ChildProcess.Confinement() }
            process = try ChildProcess(
                executable: executable.escaped, arguments: [option], environment: ProcessEnvironment.current,
                options: options)
        }
        let token = cancellation.onCancel { process.signal(SIGKILL) }
        defer { cancellation.remove(token) }
        let deadline = timeout.map { MonotonicClock.now() + $0 } ?? .max
        let output = try? ChildOutput.read(
            pipe.readEnd, until: deadline, atMost: largestAnswer, received: removeProgress)
        // A process whose output is not read to its end would wait for ever.
        if output.map({ $0.count >= largestAnswer }) ?? true { process.signal(SIGKILL) }
        return (output ?? [], process.end(signal: 0, deadline: deadline))
    }

    /// Takes complete lines of progress off the beginning.
    private func removeProgress(_ output: inout [UInt8]) {
        guard let progress else { return }
        while let end = output.firstIndex(of: UInt8(ascii: "\n")),
            let line = try? JSONDecoder().decode(EditProgress.self, from: Data(output[..<end]))
        {
            output.removeSubrange(...end)
            progress(line.progress)
        }
    }
}

/// The output of a child process, through a pipe.
package enum ChildOutput {
    /// Reads until the other end is closed, until `deadline` (CLOCK_MONOTONIC, nanoseconds) or until `limit` bytes have come. Blocks.
    ///
    /// - Parameter received: called when more has come; may take off what it has read.
    package static func read(
        _ pipe: FileDescriptor, until deadline: Int64, atMost limit: Int = 16 << 20,
        received: (inout [UInt8]) -> Void = { _ in }
    ) throws -> [UInt8] {
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while output.count < limit {
            guard MonotonicClock.now() < deadline, WakeSignal.poll([pipe.rawValue], until: deadline)[0] else { break }
            let count = try chunk.withUnsafeMutableBytes { try pipe.read(into: $0) }
            if count == 0 { break }
            output += chunk[..<count]
            received(&output)
        }
        return output
    }
}

// Starts engines for reports: `--list-sources`, `--doctor`.
public enum EngineReport {
    /// The longest wait for an answer, in nanoseconds: an audio or display server may hang.
    private static let timeout: Int64 = 20_000_000_000

    /// The sources that this machine can record.
    public static func sources(_ locator: EngineLocator = EngineLocator()) async throws(ClientError) -> SourceList {
        try await BlockingCall.run("kine-report") { () throws(ClientError) in try ask("--list-sources", locator) }
    }

    /// The checks of this machine, with a remedy for each failure.
    public static func doctor(_ locator: EngineLocator = EngineLocator()) async throws(ClientError) -> [DoctorCheck] {
        try await BlockingCall.run("kine-report") { () throws(ClientError) in try ask("--doctor", locator) }
    }

    private static func ask<Answer: Decodable>(_ option: String, _ locator: EngineLocator) throws(ClientError) -> Answer
    {
        try EngineQuestion(option: option, timeout: timeout).ask(locator)
    }
}
