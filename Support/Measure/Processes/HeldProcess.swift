// A child that lasts until nobody holds the other end of its standard input: nothing of it is left when its maker dies.
import Glibc
import KinePlatform
import SystemPackage

/// Used by one thread.
final class HeldProcess {
    let process: ChildProcess
    /// What it prints behind its first line. Owned by this object.
    let output: FileDescriptor
    private let input: FileDescriptor

    /// Starts a program and waits for its first line, which begins with `ready`; throws where that does not come.
    init(_ executable: String, _ arguments: [String], ready: String = "ready") throws {
        let (theirInput, input) = try FileDescriptor.pipe()
        let (output, theirOutput) = try FileDescriptor.pipe()
        (self.input, self.output) = (input, output)
        var options = ChildProcess.Options()
        options.descriptors = [theirInput, theirOutput, .standardError]
        do {
            defer { for end in [theirInput, theirOutput] { try? end.close() } }
            process = try ChildProcess(
                executable: try Tool.path(of: executable), arguments: arguments,
                environment: ProcessEnvironment.current, options: options)
        } catch {
            for end in [input, output] { try? end.close() }
            throw error
        }
        guard Tool.readLine(output)?.hasPrefix(ready) == true else {
            throw Tool.Error.failed(
                name: executable, ending: process.end(signal: SIGKILL, deadline: 0),
                complaint: "It ended before it was ready.")
        }
    }

    deinit {
        kill()
        for end in [input, output] { try? end.close() }
    }

    func kill() { _ = process.end(signal: SIGKILL, deadline: 0) }
}
