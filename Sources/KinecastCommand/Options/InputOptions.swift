// The options that choose what is seen of the mouse.
import ArgumentParser
import KineControl

struct InputOptions: ParsableArguments {
    @Flag(help: "Leave the mouse pointer out.")
    var noCursor = false

    @Option(help: ArgumentHelp("Enlarge the mouse pointer, from 1 to 8 times, such as 1.5.", valueName: "N"))
    var cursorScale: Double?

    @Flag(
        help:
            "Draw a ring round the mouse pointer while a button is held: yellow for the left, pink for the middle, blue for the right."
    )
    var showClicks = false

    func validate() throws {
        guard let cursorScale else { return }
        do throws(TakeConfiguration.Problem) {
            try TakeConfiguration.check(cursorScale: cursorScale)
        } catch {
            throw ValidationError(error.description)
        }
        if noCursor {
            throw ValidationError("--cursor-scale and --no-cursor cannot be combined; leave one out.")
        }
    }

    /// Throws where the source has neither a pointer nor a keyboard.
    func check(for source: TakeConfiguration.Source) throws {
        guard case .pattern = source, let option = chosen.first else { return }
        throw ValidationError("\(option) is for a screen or a window; a \(source) has no pointer. Leave it out.")
    }

    private var chosen: [String] {
        (cursorScale == nil ? [] : ["--cursor-scale"]) + (showClicks ? ["--show-clicks"] : [])
    }

    func apply(to video: inout TakeConfiguration.Video) {
        video.showsCursor = !noCursor
        video.cursorScale = cursorScale ?? 1
        video.showsClicks = showClicks
    }
}
