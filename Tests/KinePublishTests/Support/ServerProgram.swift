// Programs beside which the publisher is tested: ffmpeg as a maker of streams, and as a server.
import KinePlatform
import Synchronization
import SystemPackage

/// A program that runs until it is let go; a missing one is a failure.
final class ServerProgram: Sendable {
    /// nil once it has ended and was waited for.
    private let child: Mutex<ChildProcess?>

    init(_ tool: String, _ arguments: [String], log: String? = nil) throws {
        let output = try FileDescriptor.open(
            FilePath(log ?? "/dev/null"), .writeOnly, options: [.create], permissions: .ownerReadWrite)
        defer { try? output.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, output, output]
        child = Mutex(
            try ChildProcess(
                executable: "/usr/bin/env", arguments: [tool] + arguments,
                environment: ["PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin", "HOME=/tmp"], options: options))
    }

    /// Blocks until it has ended by itself.
    @discardableResult func wait() -> ChildProcess.Ending? {
        child.withLock { child in
            defer { child = nil }
            return child?.wait()
        }
    }

    deinit { _ = child.withLock { $0?.end(deadline: MonotonicClock.now() + 5_000_000_000) } }
}
