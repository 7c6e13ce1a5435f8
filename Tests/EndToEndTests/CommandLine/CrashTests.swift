// What a program does when it crashes: nothing that another user could have put in its way.
import CoreTesting
import Foundation
import Glibc
import KineMeasure
import KinePlatform
import ProcessTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct CrashTests {
    private static let crashes = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]
    /// Each with a SWIFT_BACKTRACE from which the runtime takes a relative place, or might.
    private static let programs = [
        "kinecast": "enable=yes", "kinecast-engine": "enable=yes, swift-backtrace=/x",
        "kinecast-publish": "enable,swift-backtrace=/x", "kinecast-studio": "swift-backtrace=/x,swift-backtrace=./y",
        "kinecast-tray": "enable=yes,swift-backtrace=swift-backtrace",
    ]

    /// The runtime runs swift-backtrace from where the program is. By its bare name that is the working directory.
    @Test(arguments: zip(programs.keys.sorted(), crashes))
    func `a program that is started by its bare name runs nothing of its directory when it crashes`(
        program: String, signal: Int32
    ) throws {
        try TestPlace.with { place in
            let mark = place.directory.appending("was-run")
            let planted = place.directory.appending("swift-backtrace")
            try "#!/bin/sh\n: >'\(mark)'\n".write(toFile: planted.string, atomically: false, encoding: .utf8)
            chmod(planted.string, 0o755)
            let output = try Self.fullPipe()
            var options = ChildProcess.Options()
            options.descriptors = [nil, output.write, output.write]
            options.directory = place.directory.string
            let child = try ChildProcess(
                executable: "/bin/sh", arguments: ["-c", "exec \(program) --help"],
                environment: ProcessEnvironment.merging(
                    place.environment,
                    ["PATH=\(RunningKinecast.executables)", "SWIFT_BACKTRACE=\(Self.programs[program] ?? "")"]),
                options: options)
            try wait("\(program)'s blocked output") {
                try Self.status(of: child.pid, "State")?.hasPrefix("S") == true
                    && Self.status(of: child.pid, "Name") == String(program.prefix(15))
            }
            let caught = try #require(Self.status(of: child.pid, "SigCgt").flatMap { UInt64($0, radix: 16) })
            #expect(Self.crashes.filter { caught & 1 << ($0 - 1) != 0 } == [])
            kill(child.pid, signal)
            #expect(child.wait() == .killed(signal: signal))
            #expect(access(mark.string, F_OK) != 0)
        }
    }

    /// What is installed contains the runtime, which looks for the arguments in front of the environment.
    @Test(arguments: ["", "SWIFT_BACKTRACE=enable=yes", "-i", "-i SWIFT_BACKTRACE=swift-backtrace=/bin/true"])
    func `a program that contains Swift's runtime gets its arguments in each environment`(change: String) throws {
        try TestPlace.with { place in
            try place.write(#"print(CommandLine.arguments.dropFirst().joined(separator: "+"))"#, to: "main.swift")
            let sources = RunningKinecast.checkout.appending("Sources/Base/CLinux").string
            let commands = """
                cd "$1"
                # Swift's own, which need not be in PATH.
                "$(dirname "$(realpath "$(command -v swiftc)")")/clang" -c -I "$2/include" "$2/crashes.c"
                swiftc -static-stdlib main.swift crashes.o -o program
                env \(change) ./program one two
                """
            let output = try Tool.output("sh", ["-euc", commands, "sh", place.directory.string, sources])
            #expect(output == "one+two\n")
        }
    }

    private static func fullPipe() throws -> (read: FileDescriptor, write: FileDescriptor) {
        let pipe = try FileDescriptor.pipe()
        _ = fcntl(pipe.writeEnd.rawValue, F_SETFL, O_NONBLOCK)
        let bytes = [UInt8](repeating: 0, count: 4096)
        while (try? bytes.withUnsafeBytes { try pipe.writeEnd.write($0) }) ?? 0 > 0 {}
        _ = fcntl(pipe.writeEnd.rawValue, F_SETFL, 0)
        return (pipe.readEnd, pipe.writeEnd)
    }

    private static func status(of process: Int32, _ field: String) throws -> String? {
        let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        return text.split(separator: "\n").first { $0.hasPrefix(field + ":\t") }.map {
            String($0.dropFirst(field.count + 2))
        }
    }
}
