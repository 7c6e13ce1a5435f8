// A program of this package, or another, that says what it does on its standard output, and ends with its standard input.
import Glibc
import KinePlatform
import SystemPackage

/// A child whose standard output is read here. It ends when the last reference goes. Used by one thread.
public final class HeldProcess {
    public let process: ChildProcess
    /// The output that was not read yet. Owned by this object.
    let output: FileDescriptor
    private let name: String
    /// The other end of its standard input.
    private var input: FileDescriptor?

    /// - Parameters:
    ///   - name: of an executable beside this one.
    ///   - path: where the executable is, if it is elsewhere.
    ///   - holdsInput: its standard input is open until it is to end; otherwise it has none.
    ///   - diesWithThread: it ends with the thread that makes it, however that ends.
    public init(
        _ name: String, at path: String? = nil, _ arguments: [String],
        environment: [String] = ProcessEnvironment.current, holdsInput: Bool = false, diesWithThread: Bool = true
    ) throws {
        self.name = name
        let (output, theirOutput) = try FileDescriptor.pipe()
        let held = holdsInput ? try FileDescriptor.pipe() : nil
        (self.output, input) = (output, held?.writeEnd)
        defer { for end in [theirOutput, held?.readEnd] { try? end?.close() } }
        var options = ChildProcess.Options()
        options.descriptors = [held?.readEnd, theirOutput, .standardError]
        if diesWithThread { options.parentDeathSignal = SIGKILL }
        do {
            process = try ChildProcess(
                executable: try path ?? Tool.sibling(name), arguments: arguments, environment: environment,
                options: options)
        } catch {
            for end in [output, held?.writeEnd] { try? end?.close() }
            throw error
        }
    }

    /// A tool that lasts until nobody holds its standard input: nothing of it is left when its maker dies. Waits for its first
    /// line, which begins with `ready`.
    convenience init(_ tool: String, _ arguments: [String], ready: String) throws {
        try self.init(tool, at: Tool.path(of: tool), arguments, holdsInput: true, diesWithThread: false)
        guard Tool.readLine(output)?.hasPrefix(ready) == true else {
            throw failure("It ended before it was ready.")
        }
    }

    deinit {
        kill()
        for end in [input, output] { try? end?.close() }
    }

    public func kill() { _ = process.end(signal: SIGKILL, deadline: 0) }

    /// Writes a line to its standard input.
    func send(_ line: String) throws { _ = try input?.writeAll((line + "\n").utf8) }

    /// Its next line, waited for until CLOCK_MONOTONIC reaches `deadline`.
    public func line(deadline: Int64) throws -> String {
        guard let line = Tool.readLine(output, until: deadline) else {
            throw failure("It did not print a line in time.")
        }
        return line
    }

    /// Waits for it to end with status 0 and returns all that it printed and nobody read yet. At the deadline it is killed.
    public func finish(deadline: Int64) throws -> String {
        try input?.close()
        input = nil
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while WakeSignal.poll([output.rawValue], until: deadline)[0] {
            let count = try chunk.withUnsafeMutableBytes { try output.read(into: $0) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        let ending = process.end(signal: 0, deadline: deadline)
        let text = String(decoding: bytes, as: UTF8.self)
        guard ending == .exited(status: 0) else {
            throw Tool.Error.failed(name: name, ending: ending, complaint: String(text.suffix(300)))
        }
        return text
    }

    /// The account that it prints at its end.
    public func report(deadline: Int64) throws -> TransferReport {
        guard let report = TransferReport(try finish(deadline: deadline)) else {
            throw failure("It printed no account of what it had done.")
        }
        return report
    }

    private func failure(_ complaint: String) -> Tool.Error {
        .failed(name: name, ending: process.end(signal: SIGKILL, deadline: 0), complaint: complaint)
    }
}
