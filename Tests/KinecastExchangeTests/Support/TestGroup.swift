// A group in a directory of its own, and other processes that are members of it.
import KineMeasure
import KinePlatform
import KinecastExchange
import ProcessTesting
import SystemPackage

struct TestGroup {
    static let identifier = "org.example.group"

    let directory: FilePath
    let container: GroupContainer

    /// Lends a new one.
    static func with(_ body: (TestGroup) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let container = try GroupContainer(unchecked: identifier, environment: ["HOME=\(directory.path)"])
        try await body(TestGroup(directory: FilePath(directory.path), container: container))
        withExtendedLifetime(directory) {}
    }

    func path(_ name: String) -> FilePath { directory.appending(name) }

    /// Makes a file outside the group's directory.
    @discardableResult
    func draft(_ text: String, _ name: String = "draft", in directory: FilePath? = nil) throws -> FilePath {
        let path = (directory ?? self.directory).appending(name)
        try Tool.write(text.utf8, to: path.string)
        return path
    }

    /// Another process of the group.
    func member(_ verb: String, _ words: String...) throws -> RunningKinecast {
        try RunningKinecast(
            arguments: [verb, Self.identifier] + words,
            environment: ProcessEnvironment.merging(
                ProcessEnvironment.current.filter { !$0.hasPrefix("XDG_DATA_HOME=") }, ["HOME=\(directory)"]),
            directory: directory, executable: RunningKinecast.sibling("kinecast-member"))
    }

    /// The same under a limit on the size of files, which fails with an error, and does not end the process.
    func limitedMember(kilobytes: Int, _ verb: String, _ words: String...) throws -> RunningKinecast {
        let command = ([RunningKinecast.sibling("kinecast-member"), verb, Self.identifier] + words).map(\.shellWord)
        return try RunningKinecast(
            arguments: ["-c", "trap '' XFSZ; ulimit -f \(kilobytes); exec \(command.joined(separator: " "))"],
            environment: ProcessEnvironment.merging(
                ProcessEnvironment.current.filter { !$0.hasPrefix("XDG_DATA_HOME=") }, ["HOME=\(directory)"]),
            directory: directory, executable: "/bin/bash")
    }
}

extension GroupContainer {
    func text(_ name: String) throws -> String { String(decoding: try contents(of: name), as: UTF8.self) }
}
