// `kinecast export`: makes a film of a recording, with zooms and without waits.
import ArgumentParser
import FoundationEssentials
import KineChoices
import KineClient
import KineMedia
import KinePlatform
import KineProgram
import KineText
import KineWire
import SystemPackage

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Make a film of a recording: zoomed where something happens, without waits.",
        usage: "kinecast export FILE [--zoom auto] [--tighten] [-o FILE] [options]",
        discussion: """
            Zooms and cuts are made from the recording's input track: what was clicked, when something was typed, what \\
            changed. Frames that no edit touches are copied; the recording itself stays as it is. docs/edits.md has the \\
            form of an edits file.

            kinecast export demo.mp4 --zoom auto --tighten -o film.mp4
            kinecast export demo.mp4 --zoom auto --shape 9:16 --size 1080x1920
            """)

    enum Zoom: String, ExpressibleByArgument, CaseIterable { case auto, none }

    @Argument(
        help: ArgumentHelp("A recording of Kinecast's.", valueName: "FILE"), completion: .file(extensions: ["mp4"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "auto: zoom in where something is clicked or typed; none: no zooms. (default: those of --edits)",
            valueName: "auto|none"))
    var zoom: Zoom?

    @Flag(help: "Leave out the time in which nothing happens, and show faster what only a progress bar shows.")
    var tighten = false

    @Option(
        help: ArgumentHelp("Edits as JSON, such as NAME.edits.json.", valueName: "FILE"),
        completion: .file(extensions: ["json"]))
    var edits: String?

    @Option(
        help: ArgumentHelp(
            "The film fits into WxH; it is never enlarged. (default: the recording's size)", valueName: "WxH"),
        transform: ImageSizeOption.parse)
    var size: ImageSizeOption?

    @Option(
        help: ArgumentHelp(
            "Show a part of this shape, which follows the pointer: 16:9, 1:1 or 9:16. (default: the recording's)",
            valueName: "SHAPE"))
    var shape: FilmEdits.Shape?

    @Option(help: ArgumentHelp("Frames a second at most, 1 to 60. (default: as the recording)", valueName: "N"))
    var fps: Int?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "The film, or a directory for it. (default: “FILE film.mp4”, beside FILE)", valueName: "FILE"),
        completion: .file(extensions: ["mp4"]))
    var output: String?

    @Flag(help: "Replace an older file; never FILE itself.")
    var overwrite = false

    @Flag(help: "Print lines of JSON on standard output: the progress, and the film.")
    var json = false

    func validate() throws {
        if let fps, !(1...60 ~= fps) { throw ValidationError("--fps is a number from 1 to 60.") }
        guard zoom != nil || tighten || edits != nil || size != nil || shape != nil || fps != nil else {
            throw ValidationError("Say what to make: --zoom auto, --tighten, --edits FILE, --size, --shape or --fps.")
        }
    }

    func run() throws {
        let directory = try OutputPath.workingDirectory()
        if let output { try OutputPath.check(output, workingDirectory: directory) }
        let input = directory.pushing(FilePath(escaped: file))
        var film = try edits.map { try Self.read(directory.pushing(FilePath(escaped: $0))) } ?? FilmEdits()
        if zoom == Zoom.none { film.zooms = [] }
        if let size { film.size = size.size }
        if let shape { film.shape = shape }
        do throws(FilmEdits.Problem) { try film.validate() } catch { throw CommandFailure.usage(error.description) }
        let (target, isNamedHere) = try OutputPath.derived(output, from: NumberedName.adding(" film", to: input))
        let request = ExportRequest(
            input: input.escaped, output: target.escaped, edits: film, zooms: zoom == .auto, tightens: tighten,
            rate: fps,
            ifTaken: isNamedHere ? .number : overwrite ? .replace : .refuse)
        let exported = try MainThread.shared.wait { () async throws(ClientError) in
            try await RecordingEditor().export(request)
        }
        let text = EditSentences.exported(exported)
        if json { JSONEvents.write(JSONEvent.exported(exported, message: text)) }
        Terminal.standardError.line(text)
    }

    /// The most bytes of edits that are read: many times what `FilmEdits.validate` accepts.
    private static let largestEdits = 4 << 20

    private static func read(_ path: FilePath) throws -> FilmEdits {
        guard let bytes = PrivateDirectory.contents(of: path, limit: largestEdits) else {
            throw CommandFailure.usage("\(path.escaped) cannot be read, or is too large for edits; give another file.")
        }
        do {
            return try JSONDecoder().decode(FilmEdits.self, from: Data(bytes))
        } catch {
            throw CommandFailure.usage(
                "\(path.escaped) has no edits of Kinecast's, or those of a newer version; docs/edits.md has their form."
            )
        }
    }
}

extension FilmEdits.Shape: ExpressibleByArgument {}
