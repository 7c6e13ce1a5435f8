// `kinecast trim`: writes a part of a recording to another file.
import ArgumentParser
import KineChoices
import KineClient
import KineMedia
import KineProgram
import KineText
import KineWire
import SystemPackage

struct TrimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim", abstract: "Save a part of a recording, exact to the frame.",
        usage: "kinecast trim FILE [--from TIME] [--to TIME] [-o FILE] [options]",
        discussion: """
            The new file begins with the frame that is shown at --from and ends at --to. Only the frames from there to the \
            next keyframe are encoded again; all others, and the audio, are copied as they are. The recording itself stays \
            as it is. Times are seconds (12.5), lengths (1m30s) or a player's clock (1:30, 1:02:03.5).

            kinecast trim demo.mp4 --from 0:05 --to 1:30 -o talk.mp4
            kinecast trim demo.mp4 --no-input-track -o for-others.mp4
            kinecast trim demo.mp4 --chapters
            """)

    @Argument(
        help: ArgumentHelp("A recording of Kinecast's.", valueName: "FILE"), completion: .file(extensions: ["mp4"]))
    var file: String

    @Option(
        help: ArgumentHelp("Begin with the frame shown at that time. (default: the start)", valueName: "TIME"),
        transform: TimeOption.parse)
    var from: TimeOption?

    @Option(
        help: ArgumentHelp("End at that time; later than the end means the end. (default: the end)", valueName: "TIME"),
        transform: TimeOption.parse)
    var to: TimeOption?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "The new file, or a directory for it. (default: “FILE trimmed.mp4”, beside FILE)", valueName: "FILE"),
        completion: .file(extensions: ["mp4"]))
    var output: String?

    @Flag(help: "Replace an older file; never FILE itself.")
    var overwrite = false

    @Flag(help: "Leave out the track of where the pointer was, what was clicked and when something was typed.")
    var noInputTrack = false

    @Flag(help: "Print the chapters, one a line as in YouTube's descriptions, and save nothing.")
    var chapters = false

    @Flag(help: "Print a line of JSON on standard output.")
    var json = false

    func validate() throws {
        let isPart = from != nil || to != nil || noInputTrack
        if chapters, isPart || output != nil || overwrite {
            throw ValidationError(
                "--chapters saves nothing; leave --from, --to, --output, --overwrite and --no-input-track out.")
        }
        if !chapters, !isPart {
            throw ValidationError("Say --from TIME, --to TIME or both, --no-input-track, or --chapters.")
        }
    }

    func run() throws {
        let directory = try OutputPath.workingDirectory()
        if let output { try OutputPath.check(output, workingDirectory: directory) }
        let input = directory.pushing(FilePath(escaped: file))
        if chapters { return try printChapters(of: input.escaped) }
        let (target, isNamedHere) = try OutputPath.derived(output, from: NumberedName.adding(" trimmed", to: input))
        let request = TrimRequest(
            input: input.escaped, output: target.escaped, start: from?.time, end: to?.time, overwrite: overwrite,
            isNumbered: isNamedHere, leavesInputOut: noInputTrack)
        let trimmed = try MainThread.shared.wait { () async throws(ClientError) in
            try await RecordingEditor().trim(request)
        }
        let text = EditSentences.trimmed(trimmed)
        if json { JSONEvents.write(JSONEvent.trimmed(trimmed, message: text)) }
        Terminal.standardError.line(text)
    }

    private func printChapters(of input: String) throws {
        let chapters = try MainThread.shared.wait { () async throws(ClientError) in
            try await RecordingEditor().chapters(of: input)
        }
        guard !chapters.isEmpty else {
            throw CommandFailure.usage("\(file) has no chapters; begin some with kinecast mark during its take.")
        }
        if json { return JSONEvents.write(chapters.map(JSONChapter.init)) }
        // YouTube takes no list with two chapters of one second.
        let seconds = chapters.map { Int($0.start.seconds) }
        for (number, chapter) in chapters.enumerated()
        where number + 1 == chapters.count || seconds[number] < seconds[number + 1] {
            Terminal.standardOutput.line(EditSentences.chapter(chapter))
        }
    }
}

private struct JSONChapter: Encodable {
    /// In seconds of the recording.
    var start: Double
    var title: String

    init(_ chapter: Chapter) { (start, title) = (chapter.start.seconds, chapter.title) }
}

/// `0`, or a time as in `DurationOption`.
struct TimeOption: OptionValue, Equatable {
    static let form = "give a time such as 12.5 (seconds), 1m30s or 1:02:03.5"

    var time: MediaTime

    init?(argument: String) {
        if let length = DurationOption(argument: argument) {
            time = length.time
        } else if Self.isZero(argument) || DurationOption.clock(argument) == 0 {
            time = .zero
        } else {
            return nil
        }
    }

    private static func isZero(_ text: String) -> Bool {
        let digits = text.hasSuffix("s") ? text.dropLast() : text[...]
        return digits.allSatisfy { $0 == "0" || $0 == "." } && Double(digits) == 0
    }
}
