// `kinecast extension new`: writes the package of a new upload extension.
import ArgumentParser
import KineClient
import KinePlatform
import KineProgram
import KineText
import SystemPackage

struct ExtensionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extension", abstract: "Write an extension of your own.", subcommands: [NewCommand.self])

    struct NewCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new",
            abstract: "Write a Swift package for an extension, ready to be built, tested and installed.",
            usage: "kinecast extension new NAME [--raw] [--path DIR] [options]",
            discussion: """
                The extension reports once a second how loud the audio is, as an example to start from. Its README says \
                what to do next.
                """)

        @Argument(
            help: ArgumentHelp(
                "The extension's name: letters, digits and dashes, such as sound-meter.", valueName: "NAME"))
        var name: String

        @Flag(help: "Receive uncompressed frames instead of the encoded ones that the recording gets too.")
        var raw = false

        @Option(
            help: ArgumentHelp(
                "The directory to create the package in; if not given, the current one.", valueName: "DIR"),
            completion: .directory)
        var path: String?

        @Option(
            help: ArgumentHelp(
                "Kinecast's sources, a checkout or a git repository; if not given, those that kinecast was built from.",
                valueName: "PATH|URL"),
            completion: .directory)
        var kinecast: String?

        func run() throws {
            let directory = try OutputPath.workingDirectory()
            let parsed: ExtensionName
            do throws(ExtensionName.Error) {
                parsed = try ExtensionName(name)
            } catch {
                throw CommandFailure.usage(error.description)
            }
            guard let executable = ExecutableSearch.own else { throw ClientError.locator(.executableUnknown) }
            let sources = try KinecastSources.find(kinecast, workingDirectory: directory)
            let package = ExtensionPackage(
                name: parsed, sources: sources, pins: sources.pins, wantsRawFrames: raw,
                kinecast: executable)
            let shown = (path.map { FilePath(escaped: $0) } ?? "").appending(name)
            try package.write(to: directory.pushing(shown))
            Terminal.standardError.line(
                """
                Wrote \(shown). Next:
                    cd \(shown.escaped.shellWord)
                    swift test              # feeds it samples, without a display
                    scripts/install         # builds it and installs it for you
                    kinecast broadcast --service \(parsed.id)
                """)
        }
    }
}
