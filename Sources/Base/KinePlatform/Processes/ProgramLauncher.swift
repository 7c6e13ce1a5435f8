// Starts programs without waiting for them.
import Glibc
import KineText
import SystemPackage

/// Used on one thread. The programs outlive this process.
package final class ProgramLauncher: PollSource {
    /// A program that has ended.
    package struct Ended {
        package let number: Int
        package let ending: ChildProcess.Ending
        /// The program's standard error; nil if it is empty, or was not kept.
        package let stderr: String?
        /// The last lines of its standard output, if that is read.
        package let lines: [String]
    }

    private struct Running {
        let number: Int
        let process: ChildProcess
        let log: MemoryLog?
        let output: LineReader?
    }

    /// The most programs that run at once.
    private static let most = 32
    /// Bytes; later output is lost.
    private static let logLimit = 64 * 1024

    private let complain: (String) -> Void
    private var running: [Running] = []
    private var last = 0

    /// - Parameter complain: gets a sentence about a program that cannot be started.
    package init(complain: @escaping (String) -> Void) { self.complain = complain }

    /// The path of `kinecast`; nil: it is not there.
    ///
    /// - Parameter executable: this process's, in `libexec/kinecast` or where it was built.
    package static func kinecast(beside executable: FilePath) -> String? {
        let own = executable.removingLastComponent()
        let installed = own.removingLastComponent().removingLastComponent().appending("bin/kinecast")
        return [installed, own.appending("kinecast")].map(\.escaped).first { access($0.cString, X_OK) == 0 }
            ?? ExecutableSearch.find("kinecast")
    }

    /// Readable when a program has ended, or has written.
    package var pollEntries: [pollfd] {
        (running.map(\.process.exitDescriptor) + running.compactMap(\.output?.descriptor))
            .flatMap { ReadableDescriptor($0).pollEntries }
    }

    /// The lines that programs have written to standard output since the last call.
    package func readLines() -> [(number: Int, line: String)] {
        running.flatMap { program in (program.output?.read() ?? []).map { (program.number, $0) } }
    }

    @discardableResult package func reap() -> [Ended] {
        var ended: [Ended] = []
        running.removeAll { program in
            guard let ending = program.process.poll() else { return false }
            ended.append(
                Ended(
                    number: program.number, ending: ending, stderr: program.log?.text(),
                    lines: program.output?.read() ?? []))
            return true
        }
        return ended
    }

    /// Opens a file or an address with the program that the desktop has for it. Returns as `start`.
    @discardableResult package func open(_ file: String, keepsErrors: Bool = false) -> Int? {
        if let opener = ExecutableSearch.find("xdg-open") { return start(opener, [file], keepsErrors: keepsErrors) }
        if let opener = ExecutableSearch.find("gio") { return start(opener, ["open", file], keepsErrors: keepsErrors) }
        complain("There is no xdg-open here, which opens \(file.printable(limit: 200)); install xdg-utils.")
        return nil
    }

    /// Starts a program in a session of its own, without a terminal. Returns its number; nil if it cannot be started.
    ///
    /// - Parameters:
    ///   - variables: `NAME=value` strings, besides those of this process.
    ///   - isHeard: whether its standard output is read for `readLines`; its standard error is then kept too.
    ///   - keepsErrors: whether its standard error is kept for `Ended.stderr` and `stderr`.
    @discardableResult package func start(
        _ path: String, _ arguments: [String], _ variables: [String] = [], isHeard: Bool = false,
        keepsErrors: Bool = false
    ) -> Int? {
        reapUnlogged()
        guard running.count < Self.most else {
            complain("\(Self.most) programs that were started here run already; close some of them.")
            return nil
        }
        let log = isHeard || keepsErrors ? MemoryLog(name: "kinecast-program", limit: Self.logLimit) : nil
        let pipe = isHeard ? try? FileDescriptor.pipe() : nil
        let output = pipe.map { LineReader($0.readEnd) }
        defer { try? pipe?.writeEnd.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, pipe?.writeEnd, log?.descriptor]
        options.newSession = true
        do throws(Errno) {
            let process = try ChildProcess(
                executable: path, arguments: arguments,
                environment: ProcessEnvironment.merging(ProcessEnvironment.forDesktop, variables), options: options)
            last += 1
            running.append(Running(number: last, process: process, log: log, output: output))
            return last
        } catch {
            complain("\(path) cannot be started (\(error)); check its permissions.")
            return nil
        }
    }

    /// The standard error of a program that has not been reaped; nil if it is empty, or was not kept.
    package func stderr(of number: Int) -> String? { running.first { $0.number == number }?.log?.text() }

    /// Sends SIGTERM to a program that was started here.
    package func end(_ number: Int) { running.first { $0.number == number }?.process.signal(SIGTERM) }

    /// Makes room. Programs with a log are left for `reap`, whose caller wants their end.
    private func reapUnlogged() { running.removeAll { $0.log == nil && $0.process.poll() != nil } }
}
