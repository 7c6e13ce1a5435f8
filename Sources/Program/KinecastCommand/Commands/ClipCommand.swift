// `kinecast clip`: saves the last moments of a running take that keeps them.
import ArgumentParser
import KineChoices
import KineClient
import KineMedia
import KineProgram
import KineTakes
import KineText
import KineWire
import SystemPackage

struct ClipCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clip",
        abstract: "Save the last moments of a running take to a file.",
        usage: "kinecast clip [TAKE] [-t TIME] [-o FILE]",
        discussion: """
            The take has to run with --clip-buffer, and goes on. A clip begins at the asked time, or at the keyframe before it, \
            up to two seconds earlier; what is printed says so. The file appears when it is complete. Unless a terminal shows \
            standard error, as for a key of the desktop, a notification says where the clip is, or why there is none, and \
            without -o the clip is beside the take's recording, or where those of record --toggle are.
            """)

    @Argument(
        help: ArgumentHelp(
            "The take's id, or the beginning of it. Not needed while only one take has a clip buffer.",
            valueName: "TAKE"))
    var take: String?

    @Option(
        name: [.customShort("t"), .long],
        help: ArgumentHelp(
            "The length of the clip, such as 15 (seconds), 30s or 2m; if not given, all that is kept.",
            valueName: "TIME"), transform: DurationOption.parse)
    var duration: DurationOption?

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "The file to write, or a directory for it; if not given, Clip DATE TIME.mp4 in the current directory.",
            valueName: "FILE"),
        completion: .file(extensions: ["mp4"]))
    var output: String?

    @Flag(help: "Replace the file if it exists.")
    var overwrite = false

    @Flag(help: "Print the answer as a line of JSON on standard output.")
    var json = false

    /// The first word of a clip's name.
    private static let kind = "Clip"

    func validate() throws {
        if output?.isEmpty == true {
            throw ValidationError("The name of the file is empty; give one or leave it out.")
        }
    }

    func run() throws {
        let isNamedHere = try OutputPath.isNamedHere(output)
        // The current directory of a key is the desktop's, where a person does not look.
        let isByKey = output == nil && DesktopNotifier.isByKey
        let typed = try isByKey ? nil : OutputPath.resolveNow(output, kind: Self.kind)
        let asked = try AskedTake.connected(to: take, hasClips: true)
        let request = ClipRequest(
            output: try (typed ?? Self.path(in: asked)).escaped, duration: duration?.time, overwrite: overwrite,
            isPrivate: isNamedHere, isNumbered: isNamedHere)
        let clip = try asked.ask(.exportClip(request)) { if case .clip(let clip) = $0 { clip } else { nil } }
        if json { JSONEvents.write(JSONEvent.clip(clip)) }
        Terminal.standardError.line(TakeSentences.clip(clip))
        DesktopNotifier.tell(.saved(clip.output, clip.duration, bytes: clip.bytes, isQuiet: true))
    }

    /// A name made from the time, beside the take's recording; without one, where a toggle's recordings are.
    private static func path(in take: AskedTake) throws -> FilePath {
        guard let recording = try take.status().output, recording != TakeConfiguration.standardOutput else {
            return try OutputPath.inVideos(kind: kind)
        }
        return OutputPath.resolveNow(kind: kind, in: FilePath(escaped: recording).removingLastComponent())
    }
}
