// `kinecast record`.
import ArgumentParser
import KineControl
import SystemPackage

struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record the screen until Ctrl-C, or until COMMAND ends.",
        usage: "kinecast record [OUT.mp4] [options] [-- COMMAND …]",
        discussion: """
            The file is playable at any moment, whatever is killed. With --virtual, COMMAND runs on the private screen. \
            Its exit status becomes that of kinecast.
            """)

    @Argument(
        help: ArgumentHelp(
            "The file to write, or a directory to write it in; without it, Kinecast DATE TIME.mp4 in this directory.",
            valueName: "OUT.mp4"),
        completion: .file(extensions: ["mp4"]))
    var out: String?

    @OptionGroup(title: "Picture") var sourceOptions: SourceOptions
    @OptionGroup(title: "Sound") var sound: SoundOptions
    @OptionGroup(title: "Encoding") var encoding: EncodingOptions
    @OptionGroup var options: TakeOptions

    func validate() throws {
        _ = try sourceOptions.source()
        if let out, out.isEmpty { throw ValidationError("The name of the file is empty; give one or leave it out.") }
    }

    /// The file's name as it was typed. `--mic out.mp4` means the file: no microphone is called that.
    var outputName: String? { out ?? micIsOutput }

    private var micIsOutput: String? {
        guard out == nil, case .named(let name)? = sound.mic?.microphone, name.hasSuffix(".mp4") else { return nil }
        return name
    }

    /// The request to the engine, without what only the terminal decides.
    func takeConfiguration(output: FilePath) throws -> TakeConfiguration {
        var configuration = TakeConfiguration(source: try sourceOptions.source(), output: output.string)
        encoding.apply(to: &configuration)
        sound.apply(to: &configuration.audio)
        if micIsOutput != nil { configuration.audio.microphone = .defaultDevice }
        options.apply(to: &configuration)
        return configuration
    }

    func run() throws {
        let command = try options.shownCommand()
        var configuration = try takeConfiguration(output: OutputPath.resolveNow(outputName))
        configuration.isOutputPrivate = try OutputPath.isNamedHere(outputName)
        try options.run(configuration, showing: command)
    }
}
