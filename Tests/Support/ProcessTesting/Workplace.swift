// A place of its own for each test: a directory for files, a registry of takes that no other test sees, and the certainty
// that nothing which was started there is left running.
import Glibc
import KineControl
import KinePlatform
import SystemPackage
import Testing

/// Made for one test. `finish` must be its last step.
package struct Workplace: Sendable {
    package let directory: FilePath
    private var runtime: FilePath { directory.appending("runtime") }

    package init() throws {
        var template = Array("/tmp/kinecast-e2e-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        directory = FilePath(String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        guard mkdir(runtime.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Runs a test's body, then checks that nothing is left, and removes the directory.
    package static func with(_ body: (Workplace) throws -> Void) throws {
        let workplace = try Workplace()
        defer { workplace.remove() }
        try body(workplace)
        workplace.waitForStrangers()
        #expect(workplace.processes() == [], "processes were left running")
        #expect(try workplace.registry().list() == .init(), "a take was left in the registry")
    }

    /// Lets programs that are not ours go: a browser's crash handler outlives it by a moment. There is nothing to wait on but
    /// the list of processes.
    private func waitForStrangers() {
        let deadline = MonotonicClock.now() + RunningKinecast.patience
        let ours = [
            "kinecast-engine", "kinecast-live", "kinecast-rtmp", ".kinext/", "kinecast record", "kinecast broadcast",
        ]
        while processes().contains(where: { process in !ours.contains(where: process.contains) }),
            MonotonicClock.now() < deadline
        {
            var pause = timespec(tv_sec: 0, tv_nsec: 20_000_000)
            nanosleep(&pause, nil)
        }
    }

    package func path(_ name: String) -> String { directory.appending(name).string }

    package func registry() throws -> TakeRegistry {
        let directory = runtime
        return try TakeRegistry.standard { $0 == "XDG_RUNTIME_DIR" ? directory.string : nil }
    }

    /// Waits until a take is in the registry. There is nothing to wait on but the list.
    package func waitForTake() throws {
        let deadline = MonotonicClock.now() + RunningKinecast.patience
        while try registry().list().running.isEmpty, MonotonicClock.now() < deadline {
            var pause = timespec(tv_sec: 0, tv_nsec: 10_000_000)
            nanosleep(&pause, nil)
        }
    }

    /// Starts kinecast here. Standard input is empty, the other two are pipes.
    package func start(_ arguments: String...) throws -> RunningKinecast {
        try RunningKinecast(arguments: arguments, environment: environment, directory: directory)
    }

    /// Starts kinecast here with the screen of that name, and no sound.
    package func record(_ display: String, _ arguments: String...) throws -> RunningKinecast {
        try RunningKinecast(
            arguments: ["record", "--audio", "none", "--json"] + arguments,
            environment: environment + ["DISPLAY=\(display)"], directory: directory)
    }

    /// Runs kinecast here to its end.
    @discardableResult
    package func run(_ arguments: String...) throws -> RunningKinecast.Ended {
        try RunningKinecast(arguments: arguments, environment: environment, directory: directory).wait()
    }

    package var environment: [String] {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return [
            "PATH=\(path)", "HOME=\(directory)", "XDG_RUNTIME_DIR=\(runtime)",
            "LC_ALL=C.UTF-8",
        ]
    }

    /// The command lines of the living processes that were started here, found by the environment they inherited.
    package func processes() -> [String] { describeProcesses("cmdline") }

    /// The environments of the living processes that were started here.
    package func environments() -> [String] { describeProcesses("environ") }

    /// A process that was started here has this place's directory in its environment (an extension does not get the one for
    /// sockets, but it gets HOME), or a path of it in its arguments.
    private func describeProcesses(_ file: String) -> [String] {
        let marks = ["XDG_RUNTIME_DIR=\(runtime)", "HOME=\(directory)"].map { Array($0.utf8) + [0] }
        let path = Array(directory.string.utf8)
        return entries("/proc").filter { Int32($0) != nil && $0 != "\(getpid())" }.compactMap { pid in
            let environment = contents("/proc/\(pid)/environ")
            guard
                marks.contains(where: { contains(environment, $0) })
                    || contains(contents("/proc/\(pid)/cmdline"), path)
            else { return nil }
            let words = contents("/proc/\(pid)/\(file)").map { $0 == 0 ? 32 : $0 }
            return "\(pid) " + String(decoding: words, as: UTF8.self)
        }
    }

    private func contains(_ bytes: [UInt8], _ mark: [UInt8]) -> Bool {
        guard bytes.count >= mark.count else { return false }
        return (0...bytes.count - mark.count).contains { bytes[$0..<$0 + mark.count].elementsEqual(mark) }
    }

    private func contents(_ path: String) -> [UInt8] {
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly) else { return [] }
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        let count = (try? bytes.withUnsafeMutableBytes { try file.read(into: $0) }) ?? 0
        return Array(bytes[..<count])
    }

    private func entries(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    private func remove(_ path: FilePath? = nil) {
        let path = path ?? directory
        for name in entries(path.string) {
            let entry = path.appending(name)
            if unlink(entry.string) != 0 { remove(entry) }
        }
        rmdir(path.string)
    }
}
