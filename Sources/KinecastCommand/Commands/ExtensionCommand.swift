// `kinecast extension new`: a package to begin an upload extension with.
import ArgumentParser
import KineClient
import KinePlatform
import SystemPackage

struct ExtensionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extension", abstract: "Write an extension of your own.", subcommands: [NewCommand.self])

    struct NewCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new",
            abstract: "Write a Swift package for an extension that builds, is tested, and can be installed.",
            discussion: """
                The extension reports once a second how loud the audio is: a handler to begin with. Its README says what \
                to do next.
                """)

        @Argument(
            help: ArgumentHelp(
                "The extension's name: letters, digits and dashes, such as sound-meter.", valueName: "NAME"))
        var name: String

        @Flag(help: "Take uncompressed frames, instead of the H.264 that the recording gets too.")
        var raw = false

        @Option(
            help: ArgumentHelp("The directory to make the package in; this one if not given.", valueName: "DIR"),
            completion: .directory)
        var path: String?

        @Option(
            help: ArgumentHelp(
                "Where Kinecast's sources are, a checkout or a git repository; those it was built from if not given.",
                valueName: "PATH|URL"),
            completion: .directory)
        var kinecast: String?

        func run() throws {
            let directory = try OutputPath.workingDirectory()
            let parsed: ExtensionName
            do throws(ExtensionName.Error) {
                parsed = try ExtensionName(name)
            } catch {
                throw CommandFailure(status: ExitStatus.usage, message: error.description)
            }
            let sources = try KinecastSources.find(kinecast, workingDirectory: directory)
            let package = ExtensionPackage(
                name: parsed, sources: sources, pins: sources.pins, wantsRawFrames: raw,
                kinecast: try ownExecutable())
            let shown = (path.map { FilePath($0) } ?? "").appending(name)
            try package.write(to: directory.pushing(shown))
            Terminal.standardError.line(
                """
                Wrote \(shown). Next:
                    cd \(shown.string.shellWord)
                    swift test              # feeds it samples, without a display
                    scripts/install         # builds it and installs it for you
                    kinecast broadcast --service \(parsed.id)
                """)
        }

        private func ownExecutable() throws(ClientError) -> String {
            guard let executable = ExecutableSearch.own else { throw .executableUnknown }
            return executable
        }
    }
}
