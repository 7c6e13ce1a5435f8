// `kinecast broadcast`.
import ArgumentParser
import KineClient
import KineMedia
import KineText
import KineWire
import SystemPackage

struct BroadcastCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broadcast",
        abstract: "Show the screen live until Ctrl-C, or until COMMAND ends.",
        usage: "kinecast broadcast [--to URL]… [--service ID]… [options] [-- COMMAND …]",
        discussion: """
            Without --to and --service it serves a page of its own and prints the link on standard output; open that in a \
            browser. Every destination runs in a process of its own, with little memory: if one fails, the others and the \
            recording go on.
            """)

    @OptionGroup(title: "Destinations") var destinations: DestinationOptions

    @Option(
        name: [.customLong("record"), .customShort("o")],
        help: ArgumentHelp(
            "Record to this file as well; in a directory, to Kinecast DATE TIME.mp4; - is standard output.",
            valueName: "OUT.mp4"),
        completion: .file(extensions: ["mp4"]))
    var out: String?

    @Flag(
        help: ArgumentHelp(
            "Record what the destinations get, even when a slow network makes it worse.",
            discussion: """
                Saves a second encoder, which otherwise works for the destinations while their network is slow or while they \
                get less than the recording: about 60 MB at 1080p, and as much processor time as the first.
                """))
    var shareEncode = false

    @OptionGroup(title: "Source") var sourceOptions: SourceOptions
    @OptionGroup(title: "Camera") var camera: CameraOptions
    @OptionGroup(title: "Audio") var audio: AudioOptions
    @OptionGroup(title: "Encoding") var encoding: EncodingOptions
    /// Parsed only to refuse these options with a message.
    @OptionGroup(visibility: .hidden) var colours: ColourOptions
    @OptionGroup var options: TakeOptions

    /// A viewer begins at a keyframe, and waits for the next one after a loss.
    static let keyframeInterval = MediaTime.seconds(2)

    func validate() throws {
        _ = try source()
        try colours.refuseForBroadcast()
        if destinations.check, out != nil || !options.command.isEmpty {
            throw ValidationError("--check only connects; leave out --record and COMMAND.")
        }
        if let least = destinations.minBitrate, let bitrate = encoding.bitrate,
            least.bitsPerSecond > bitrate.bitsPerSecond
        {
            throw ValidationError("--min-bitrate is more than --bitrate; lower it.")
        }
        if let out, out.isEmpty { throw ValidationError("The name of the file is empty; give one or leave it out.") }
        try options.check(output: out)
        if out == nil, shareEncode {
            throw ValidationError(
                "--share-encode is about a recording beside the broadcast; add --record OUT.mp4 or leave it out.")
        }
        if out == nil, options.overwrite || options.faststart || options.split != nil {
            throw ValidationError(
                "--overwrite, --faststart and --split are for a recording; add --record OUT.mp4 or leave them out.")
        }
    }

    private func source() throws -> TakeConfiguration.Source {
        try sourceOptions.source(hasCommand: !options.command.isEmpty)
    }

    /// The request to the engine, without the settings that depend on the terminal and the file's name.
    func takeConfiguration(
        output: FilePath?, destinations: [TakeConfiguration.Destination]
    ) throws -> TakeConfiguration {
        var configuration = TakeConfiguration(source: try source(), output: output?.escaped)
        sourceOptions.apply(to: &configuration)
        camera.apply(to: &configuration)
        configuration.video.keyframeInterval = Self.keyframeInterval
        encoding.apply(to: &configuration)
        configuration.video.keepsRecordingQuality = !shareEncode
        configuration.video.maximumBitrate = self.destinations.maxBitrate?.bitsPerSecond
        configuration.video.minimumBitrate = self.destinations.minimumBitrate(destinations)
        audio.apply(to: &configuration.audio)
        options.apply(to: &configuration)
        configuration.destinations = destinations
        return configuration
    }

    func run() throws {
        let engine = try destinations.choice.hideTypedSecrets { () -> WaitingEngine? in
            guard !destinations.check else { return nil }
            return try WaitingEngine(
                writesToStandardOutput: out == TakeConfiguration.standardOutput,
                hiding: destinations.choice.variables())
        }
        let command = try options.shownCommand()
        let directory = try OutputPath.workingDirectory()
        let plan = try destinations.plan(reader: .standard(in: directory)) {
            directory.pushing(FilePath(escaped: $0)).escaped
        }
        let services = try InstalledServices.catalog().list().services
        try destinations.choice.hideGivenSecrets(services)
        let chosen = try plan.asking(services).destinations(among: services.map(\.manifest))
        destinations.choice.hideSecrets(of: chosen, services)
        try destinations.choice.warnOfTypedKeys(json: options.json, on: options.places(output: out))
        if destinations.check {
            let status = try DestinationCheck(chosen, services: services).run(json: options.json)
            if status != 0 { throw ExitCode(status) }
            return
        }
        let output = try out.map { try OutputPath.resolveNow($0, mayStream: true) }
        var configuration = try takeConfiguration(output: output, destinations: chosen)
        configuration.setNamedHere(try out.map { try OutputPath.isNamedHere($0) } ?? false)
        var confinement = ConfinementRequest()
        confinement.isRequired = destinations.requireSandbox
        try options.run(configuration, confinement: confinement, showing: command, in: engine)
    }
}
