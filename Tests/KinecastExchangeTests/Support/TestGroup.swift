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
    ///
    /// - Parameters:
    ///   - fileLimit: the size of its files in bytes. Writing beyond it is an error, which does not end the process.
    ///   - input: its standard input, which stays the caller's.
    func member(
        _ verb: String, _ words: String..., fileLimit: Int? = nil, input: FileDescriptor? = nil
    ) throws -> RunningKinecast {
        try RunningKinecast(
            arguments: [verb, Self.identifier] + words,
            environment: ProcessEnvironment.merging(
                ProcessEnvironment.current.filter { !$0.hasPrefix("XDG_DATA_HOME=") },
                ["HOME=\(directory)"] + (fileLimit.map { ["MEMBER_FILE_LIMIT=\($0)"] } ?? [])),
            directory: directory, input: input, executable: RunningKinecast.sibling("kinecast-member"))
    }
}

extension GroupContainer {
    func text(_ name: String) throws -> String { String(decoding: try contents(of: name), as: UTF8.self) }
}
