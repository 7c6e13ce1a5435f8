// `kinecast record`.
import ArgumentParser
import KineMedia
import KineProgram
import KineText
import SystemPackage

struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record the screen until Ctrl-C, or until COMMAND ends.",
        usage: "kinecast record [OUT.mp4] [options] [-- COMMAND …]",
        discussion: """
            The file is playable at any moment, whatever is killed. With --virtual, COMMAND runs on the private screen. \
            A window that --window title:TEXT, --window command or --app names is waited for, and the file begins with it. \
            COMMAND's exit status becomes that of kinecast. For a pipe, kinecast record - writes fragmented MP4 to standard output. \
            With --clip-buffer and without OUT.mp4 there is no file: only the last moments are kept, and kinecast clip saves \
            them.
            """)

    @Argument(
        help: ArgumentHelp(
            """
            The file to write, a directory for it, or - for standard output; if not given, Kinecast DATE TIME.mp4 in the \
            current directory.
            """,
            valueName: "OUT.mp4"),
        completion: .file(extensions: ["mp4"]))
    var out: String?

    @Option(
        name: [.customShort("o"), .long], help: ArgumentHelp("The file to write, as an option.", valueName: "OUT.mp4"),
        completion: .file(extensions: ["mp4"]))
    var output: String?

    @Flag(
        help: ArgumentHelp(
            "Begin a take, or end the one that --toggle has begun, and wait until its file is finished.",
            discussion: """
                \(DesktopNotifier.rule) Without OUT.mp4 the file is in the directory Kinecast of your directory for videos. \
                Other takes go on. During its countdown, the next --toggle cancels a take.
                """))
    var toggle = false

    @OptionGroup(title: "Source") var sourceOptions: SourceOptions
    @OptionGroup(title: "Camera") var camera: CameraOptions
    @OptionGroup(title: "Audio") var audio: AudioOptions
    @OptionGroup(title: "Encoding") var encoding: EncodingOptions
    @OptionGroup(title: "Encoding") var colours: ColourOptions
    @OptionGroup var options: TakeOptions

    func validate() throws {
        _ = try source()
        if out != nil, output != nil { throw ValidationError("The file to write is given twice; leave one out.") }
        if let name = outputName, name.isEmpty {
            throw ValidationError("The name of the file is empty; give one or leave it out.")
        }
        if toggle, outputName == TakeConfiguration.standardOutput {
            throw ValidationError("--toggle writes a file, since nothing reads the standard output of a key; name one.")
        }
        try options.check(output: outputName)
    }

    /// The file's name as typed.
    var outputName: String? { out ?? output }

    /// The file to write; nil if only a clip buffer is kept.
    func outputPath() throws -> FilePath? {
        if toggle, outputName == nil { return try OutputPath.inVideos() }
        return outputName == nil && options.clipBuffer != nil
            ? nil : try OutputPath.resolveNow(outputName, mayStream: true)
    }

    private func source() throws -> TakeConfiguration.Source {
        try sourceOptions.source(hasCommand: !options.command.isEmpty)
    }

    /// The request to the engine, without the settings that depend on the terminal and the file's name.
    func takeConfiguration(output: FilePath?) throws -> TakeConfiguration {
        var configuration = TakeConfiguration(source: try source(), output: output?.escaped)
        sourceOptions.apply(to: &configuration)
        camera.apply(to: &configuration)
        encoding.apply(to: &configuration)
        configuration.video.colour = colours.colour
        audio.apply(to: &configuration.audio)
        options.apply(to: &configuration)
        return configuration
    }

    func run() throws {
        let command = try options.shownCommand()
        let file = try toggle ? ToggleFile.toggle(json: options.json) : nil
        if toggle, file == nil { return }
        var configuration = try takeConfiguration(output: outputPath())
        configuration.setNamedHere(try OutputPath.isNamedHere(outputName))
        try options.run(configuration, showing: command, toggle: file)
    }
}
