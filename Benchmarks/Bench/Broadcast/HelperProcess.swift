// A process of this package that measures something and prints what it found.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage

/// A child whose standard output is read here. It dies with the thread that started it.
final class HelperProcess {
    let process: ChildProcess
    private let name: String
    private let output: FileDescriptor
    private var read: [UInt8] = []
    private var hasEnded = false

    /// - Parameters:
    ///   - name: of an executable beside this one.
    ///   - path: where the executable is, if it is elsewhere.
    ///   - input: its standard input; nil: none.
    ///   - descriptors: what it gets from descriptor 3 on.
    init(
        _ name: String, at path: String? = nil, _ arguments: [String],
        environment: [String] = ProcessEnvironment.current, input: FileDescriptor? = nil,
        descriptors: [FileDescriptor] = []
    ) throws {
        self.name = name
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.writeEnd.close() }
        output = pipe.readEnd
        var options = ChildProcess.Options()
        options.descriptors = [input, pipe.writeEnd, .standardError] + descriptors
        options.parentDeathSignal = SIGKILL
        process = try ChildProcess(
            executable: try path ?? Tool.sibling(name), arguments: arguments, environment: environment, options: options
        )
    }

    deinit {
        if !hasEnded { _ = process.end(signal: SIGKILL, deadline: MonotonicClock.now()) }
        try? output.close()
    }

    /// Its next line, waited for until CLOCK_MONOTONIC reaches `deadline`.
    func line(deadline: Int64) throws -> String {
        while true {
            if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: read[..<end], as: UTF8.self)
                read.removeFirst(end + 1)
                return line
            }
            guard try more(deadline: deadline) else { throw failure("It did not print a line in time.") }
        }
    }

    /// Waits for it to end with status 0 and returns all that it printed and nobody read yet. At the deadline it is killed.
    func finish(deadline: Int64) throws -> String {
        while try more(deadline: deadline) {}
        if MonotonicClock.now() >= deadline { process.signal(SIGKILL) }
        let ending = process.wait()
        hasEnded = true
        let text = String(decoding: read, as: UTF8.self)
        guard ending == .exited(status: 0) else {
            throw Tool.Error.failed(name: name, ending: ending, complaint: String(text.suffix(300)))
        }
        return text
    }

    /// The account that it prints at its end.
    func report(deadline: Int64) throws -> TransferReport {
        guard let report = TransferReport(try finish(deadline: deadline)) else {
            throw Tool.Error.failed(
                name: name, ending: .exited(status: 0), complaint: "It printed no account of what it had done.")
        }
        return report
    }

    /// Reads what is there or comes; false at the end and at the deadline.
    private func more(deadline: Int64) throws -> Bool {
        guard WakeSignal.poll([output.rawValue], until: deadline)[0] else { return false }
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = try chunk.withUnsafeMutableBytes { try output.read(into: $0) }
        read += chunk[..<count]
        return count > 0
    }

    private func failure(_ complaint: String) -> any Error {
        Tool.Error.failed(
            name: name, ending: process.end(signal: SIGKILL, deadline: MonotonicClock.now()), complaint: complaint)
    }
}

/// CLOCK_MONOTONIC so many seconds from now.
func deadline(in seconds: Double) -> Int64 { MonotonicClock.now() + Int64(seconds * 1e9) }
