// The commands of authors of apps and extensions, as a README has them: `swift` builds in a directory where scripts/test has compiled
// what their packages depend on.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

package enum AuthorCommands {
    /// The compiler has minutes of work where nothing was built before.
    package static let timeout: Int64 = 900_000_000_000

    /// The build directory of this checkout.
    package static let buildDirectory: FilePath = {
        // BUILD/debug, or what that leads to: BUILD/TRIPLE/debug.
        var path = RunningKinecast.executables.removingLastComponent()
        if path.lastComponent?.string.contains("-linux-") == true { path.removeLastComponent() }
        return path
    }()

    /// The build directory of packages that use this one without traits, as an extension does. They need fewer dependencies.
    package static let extensionsDirectory = buildDirectory.appending("extensions")

    /// The commands in a README's blocks that are indented by four spaces, without what stands behind a `#`.
    package static func commands(ofReadmeIn directory: FilePath) -> [String] {
        ProcFiles.read(directory.appending("README.md").string).split(separator: "\n").filter { $0.hasPrefix("    ") }
            .compactMap { line in
                let end = line.firstRange(of: " #")?.lowerBound ?? line.endIndex
                let command = line[..<end].split(separator: " ").joined(separator: " ")
                return command.isEmpty ? nil : command
            }
    }

    /// Runs a command to its end.
    ///
    /// - Parameters:
    ///   - environment: as of a person at a terminal; PATH and what `swift` has to know are added.
    ///   - build: the directory to build in.
    package static func run(
        _ command: String, in directory: FilePath, _ environment: [String], build: FilePath = extensionsDirectory
    ) throws -> RunningKinecast.Ended {
        let path = ProcessEnvironment.value("PATH") ?? "/usr/bin:/bin"
        let checkout = RunningKinecast.checkout
        let tools = checkout.appending("Tests/Support/AuthorTools")
        let additions = [
            "PATH=\(tools):\(path)", "KINECAST=\(RunningKinecast.executable)", "CHECKOUT=\(checkout)",
            "BUILD=\(build)", "OWN_PATH=\(path)", "OWN_HOME=\(ProcessEnvironment.value("HOME") ?? "/")",
        ]
        return try RunningKinecast(
            arguments: ["-c", command], environment: ProcessEnvironment.merging(environment, additions),
            directory: directory, executable: "/bin/bash"
        ).wait(for: timeout)
    }
}
