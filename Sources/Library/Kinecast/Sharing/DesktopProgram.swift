// Starts other programs of the desktop for a recording.
import Glibc
import KinePlatform
import SystemPackage

struct DesktopProgram: Sendable {
    /// A name in PATH, or a path.
    var name: String
    var arguments: [String]

    /// In nanoseconds. A program that still runs after this time has opened the recording. Some players exit at once
    /// because another instance goes on; others run until they are closed.
    static let timeout: Int64 = 3_000_000_000

    /// Programs that open files and addresses with the person's default programs.
    static let openers = [
        DesktopProgram(name: "xdg-open", arguments: []), DesktopProgram(name: "gio", arguments: ["open"]),
    ]

    /// Starts the first candidate that is installed. It outlives this process. Throws if it fails within `timeout`.
    static func start(
        _ candidates: [DesktopProgram], adding arguments: [String], remedy: String, timeout: Int64
    ) async throws {
        try Task.checkCancellation()
        try await BlockingCall.run("kine-share") { () throws(RecordingError) in
            for program in candidates {
                let path = program.name.contains("/") ? program.name : ExecutableSearch.find(program.name)
                guard let path, access(path, X_OK) == 0 else { continue }
                return try program.start(path, adding: arguments, timeout)
            }
            let names = candidates.map(\.name).joined(separator: " nor ")
            throw RecordingError(
                .unavailable, "There is no \(names) here; \(remedy), or share the recording otherwise.")
        }
    }

    private func start(_ path: String, adding added: [String], _ timeout: Int64) throws(RecordingError) {
        let log = MemoryLog(name: "kinecast-share", limit: 64 << 10)
        var options = ChildProcess.Options()
        options.descriptors = [nil, log?.descriptor, log?.descriptor]
        options.newSession = true
        let process: ChildProcess
        do throws(Errno) {
            process = try ChildProcess(
                executable: path, arguments: arguments + added, environment: ProcessEnvironment.forDesktop,
                options: options)
        } catch {
            throw RecordingError(.failedToShare, "\(path) cannot be started (\(error)); check its permissions.")
        }
        switch process.wait(until: MonotonicClock.now() + timeout) {
        case .exited(status: 0): return
        case nil: try Self.reap(process)
        case .some(let ending):
            throw RecordingError(
                .failedToShare,
                "\(name) did not open the recording (\(ending.sentence)"
                    + "\(log?.stderrTail().map { ": \($0)" } ?? "")); open it by hand.")
        }
    }

    /// Waits for a program that goes on running, which would otherwise become a zombie.
    private static func reap(_ process: ChildProcess) throws(RecordingError) {
        do throws(Errno) {
            _ = try DedicatedThread(starting: "kine-share-end") { _ = process.wait() }
        } catch {
            throw .noThread(name: "kine-share-end", error)
        }
    }
}
