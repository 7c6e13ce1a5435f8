// A place of its own for each test: a directory for files, a registry of takes that no other test sees, and the certainty
// that nothing which was started there is left running.
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import KineTakes
import KineWire
import SystemPackage
import Testing

package struct TestPlace: Sendable {
    package var directory: FilePath { FilePath(temporary.path) }
    private let temporary: TemporaryDirectory
    private var runtime: FilePath { directory.appending("runtime") }

    private init() throws {
        temporary = try TemporaryDirectory()
        try makeDirectory("runtime")
    }

    /// Runs a test's body, then checks that nothing is left, and removes the directory.
    package static func with(_ body: (TestPlace) throws -> Void) throws {
        let place = try TestPlace()
        try body(place)
        place.waitForEnds()
        #expect(place.processes() == [], "processes were left running")
        #expect(place.takes == [], "a take was left in the registry")
    }

    /// Not by the registry, which looks elsewhere where another user has the place.
    private var takes: [String] { PrivateDirectory.entries(runtime.appending("kinecast/takes")) }

    /// Lets processes go that are ending: a browser's crash handler outlives it by a moment, and so does an engine whose app has ended.
    /// One that stays fails the test. Both lists are asked: an ordinary user finds no engine among the processes, since its environment cannot
    /// be read.
    private func waitForEnds() {
        try? wait("the processes to go", seconds: 60) { processes().isEmpty && takes.isEmpty }
    }

    package func path(_ name: String) -> String { directory.appending(name).string }

    package func registry() throws -> TakeRegistry {
        let directory = runtime
        return try TakeRegistry.standard { $0 == "XDG_RUNTIME_DIR" ? directory.string : nil }
    }

    package func waitForTake() throws { try wait("a take in the registry") { try !registry().list().running.isEmpty } }

    package func makeDirectory(_ name: String) throws {
        guard mkdir(path(name), 0o700) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes a file.
    package func write(_ text: String, to name: String, permissions: FilePermissions = .ownerReadWrite) throws {
        try temporary.write(text.utf8, to: name, permissions: permissions)
    }

    /// Starts kinecast here. Standard input is empty, the other two are pipes.
    package func start(_ arguments: String...) throws -> RunningKinecast { try start(arguments) }

    /// - Parameters:
    ///   - variables: `NAME=value` besides the environment.
    ///   - terminal: standard error instead of a pipe.
    package func start(
        _ arguments: [String], _ variables: [String] = [], terminal: FileDescriptor? = nil, ignoring: [Int32] = [],
        asJob: Bool = false
    ) throws -> RunningKinecast {
        try RunningKinecast(
            arguments: arguments, environment: ProcessEnvironment.merging(environment, variables), directory: directory,
            terminal: terminal, ignoredSignals: ignoring, asJob: asJob)
    }

    /// Starts kinecast here with the screen of that name, and no audio.
    package func record(_ display: String, _ arguments: String...) throws -> RunningKinecast {
        try start(["record", "--audio", "none", "--json"] + arguments, ["DISPLAY=\(display)"])
    }

    /// Runs kinecast here to its end.
    @discardableResult
    package func run(_ arguments: String...) throws -> RunningKinecast.Ended { try run(arguments) }

    package func run(_ arguments: [String], _ variables: [String] = []) throws -> RunningKinecast.Ended {
        try start(arguments, variables).wait()
    }

    package var environment: [String] {
        let path = ProcessEnvironment.value("PATH") ?? "/usr/bin:/bin"
        return [
            "PATH=\(path)", "HOME=\(directory)", "TMPDIR=\(directory)", "XDG_RUNTIME_DIR=\(runtime)", "LC_ALL=C.UTF-8",
            // No desktop but the test's: this machine's may be locked.
            "DBUS_SYSTEM_BUS_ADDRESS=unix:path=\(directory)/no-bus",
        ]
    }

    /// The command lines of the living processes that were started here, found by the environment they inherited.
    package func processes() -> [String] { describeProcesses("cmdline") }

    /// The environments of the living processes that were started here.
    package func environments() -> [String] { describeProcesses("environ") }

    /// A process that was started here has this place's directory in its environment (an extension does not get the one for
    /// sockets, but it gets HOME), or a path of it in its arguments.
    private func describeProcesses(_ file: String) -> [String] {
        let marks = ["XDG_RUNTIME_DIR=\(runtime)", "HOME=\(directory)"]
        return PrivateDirectory.entries("/proc").filter { Int32($0) != nil && $0 != "\(getpid())" }.compactMap { pid in
            let variables = ProcFiles.read("/proc/\(pid)/environ").split(separator: "\0")
            guard
                variables.contains(where: { marks.contains(String($0)) })
                    || ProcFiles.read("/proc/\(pid)/cmdline").contains(directory.string)
            else { return nil }
            return "\(pid) " + ProcFiles.read("/proc/\(pid)/\(file)").replacing("\0", with: " ")
        }
    }
}
