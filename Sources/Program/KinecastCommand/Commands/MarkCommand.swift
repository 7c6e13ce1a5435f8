// `kinecast mark`: a chapter of the recording, or a place of the pointer in its input track.
import ArgumentParser
import KineClient
import KineMedia
import KineProgram
import KineTakes
import KineWire

struct MarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark",
        abstract: "Begin a chapter in the recording of a take, or note where something is clicked.",
        discussion: """
            It begins now, or where a paused take goes on. Players show the chapters of the finished file, and kinecast trim \
            --chapters prints them. Unless a terminal shows standard error, as for a key of the desktop, a notification says \
            what was marked, or why not.

            With --at, a test that moves no pointer notes where it clicks, so that the recording can zoom in there: it begins no \
            chapter unless TEXT is given too.
            """)

    @Argument(
        help: ArgumentHelp(
            "The chapter's title, at most 255 bytes; if not given, Chapter and its number.", valueName: "TEXT"))
    var title: String?

    @Option(
        help: ArgumentHelp(
            "Note in the input track that the pointer is at this pixel of the recorded screen.", valueName: "X,Y"))
    var at: ScreenPlace?

    @Flag(help: "Note a click there, too.")
    var click = false

    @Option(
        help: ArgumentHelp(
            "The take's id, or the beginning of it. Not needed while only one take is running.", valueName: "TAKE"))
    var take: String?

    @Flag(help: "Print the answer as a line of JSON on standard output.")
    var json = false

    func validate() throws {
        if let problem = title.flatMap(Chapter.problem(ofTitle:)) { throw ValidationError(problem) }
        if click, at == nil { throw ValidationError("--click needs a place; add --at X,Y.") }
    }

    func run() throws {
        if let at {
            let request = ClientRequest.notePointer(x: at.place.x, y: at.place.y, isClick: click)
            try AskedTake.connected(to: take).ask(request) { if case .done = $0 { () } else { nil } }
            if json { JSONEvents.write(JSONPointer(at.place, isClick: click)) }
            if title == nil { return }
        }
        let chapter = try AskedTake.connected(to: take).ask(.mark(title: title)) {
            if case .marked(let chapter) = $0 { chapter } else { nil }
        }
        if json { JSONEvents.write(JSONMark(chapter)) }
        let done = DesktopNotifier.Contents.marked(chapter)
        Terminal.standardError.line(done.title)
        DesktopNotifier.tell(done)
    }
}

/// A pixel of a screen in the form `640,360`.
struct ScreenPlace: ExpressibleByArgument {
    let place: PixelPoint

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let x = parts[0], let y = parts[1] else { return nil }
        place = PixelPoint(x: x, y: y)
    }
}

/// The event `chapter` (docs/json-events.md).
private struct JSONMark: Encodable {
    let event = "chapter"
    let time = JSONEvent.now()
    /// In seconds of the recording.
    let start: Double
    let title: String

    init(_ chapter: Chapter) { (start, title) = (chapter.start.seconds, chapter.title) }
}

/// The event `pointer` (docs/json-events.md).
private struct JSONPointer: Encodable {
    let event = "pointer"
    let time = JSONEvent.now()
    let x: Int
    let y: Int
    let click: Bool

    init(_ place: PixelPoint, isClick: Bool) { (x, y, click) = (place.x, place.y, isClick) }
}
