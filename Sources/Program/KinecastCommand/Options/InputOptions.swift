// The options that show and record the mouse and the keyboard.
import ArgumentParser
import KineMedia

/// `none` overrules what is configured.
enum ShownKeysOption: String, ExpressibleByArgument, CaseIterable {
    case none, shortcuts, all

    fileprivate var keys: TakeConfiguration.ShownKeys? {
        switch self {
        case .none: nil
        case .shortcuts: .shortcuts
        case .all: .all
        }
    }
}

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

    @Option(
        help: ArgumentHelp(
            "Show the keys that are pressed, at the bottom: combinations with Ctrl, Alt or Super and function keys, or all.",
            discussion: """
                With all, what is typed is shown only where a program tells assistive technologies that a field for anyone's eyes \
                has the focus, and a moment later. It is never shown while a password field or a terminal has it, or while \
                that is not known. Of one window, only keys that go there are shown. none overrules what is configured.
                """, valueName: "shortcuts|all|none"))
    var showKeys = ShownKeysOption.none

    @Flag(
        help: ArgumentHelp(
            "Record no track of the pointer's way, clicks and times of typing, which zooms can be made of afterwards.",
            discussion:
                "The track never has which keys were pressed, and nothing of hidden windows, pauses or a locked screen."
        ))
    var noInputTrack = false

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

    /// Throws if the source has neither a pointer nor a keyboard.
    func check(for source: TakeConfiguration.Source) throws {
        guard case .pattern = source, let option = chosen.first else { return }
        throw ValidationError(
            "\(option) is for a screen or a window; a \(source) has neither pointer nor keys. Leave it out.")
    }

    private var chosen: [String] {
        (cursorScale == nil ? [] : ["--cursor-scale"]) + (showClicks ? ["--show-clicks"] : [])
            + (showKeys == .none ? [] : ["--show-keys"])
    }

    func apply(to video: inout TakeConfiguration.Video) {
        video.showsCursor = !noCursor
        video.cursorScale = cursorScale ?? 1
        video.showsClicks = showClicks
        video.shownKeys = showKeys.keys
        video.recordsInput = !noInputTrack
    }
}
