// Sentences that an app shows to a person. The engine makes them for the command line too, whose options and commands an app does not have.

enum LibraryWords {
    /// What the command line is told, and what an app says instead. A phrase comes before its parts.
    private static let phrases = [
        ("choose another name, or replace it with --overwrite", "choose another name, or let it be replaced"),
        ("record a private screen with --virtual 1280x720 -- COMMAND", "record a virtual screen"),
        ("paused already; kinecast resume goes on", "paused already; resume it"),
        ("not paused; kinecast pause pauses it", "not paused; pause it first"),
        ("is over; kinecast status shows what runs", "is over; start another"),
        ("end the take with kinecast stop, or add", "end the broadcast, or add"),
        ("record without --show-clicks and --show-keys", "record without showing them"),
        (" as --region 640x480+100+50", " in pixels"),
        (
            "which --window needs, or RENDER and SHAPE, which --app needs",
            "which a window needs, or RENDER and SHAPE, which an application needs"
        ),
        ("record the screen or a --region", "record the screen or a region of it"),
        ("choose one with --monitor", "choose one of them"),
        ("in the desktop's dialog with --window ask", "in the desktop's dialog"),
        (
            "--window ask needs a Wayland desktop that shows its own dialog; name the window instead: --window focused, title:TEXT or an "
                + "id that kinecast sources lists",
            "A window can be chosen only on a Wayland desktop that shows its own dialog; name the window instead"
        ),
        ("record a window with --window", "record a window"),
        ("record without --camera", "record without it"),
        ("set PULSE_SERVER, or record with --audio none", "or set PULSE_SERVER"),
        ("--cursor-scale", "cursorScale"), ("--exclude", "excludedWindows"), ("--show-clicks", "showsClicks"),
        ("--show-keys", "shownKeys"), ("--window", "a window"), ("--app", "an application"),
    ]

    static func replacing(_ sentence: String) -> String {
        guard sentence.contains("--") || sentence.contains("kinecast ") else { return sentence }
        return phrases.reduce(sentence) { $0.replacing($1.0, with: $1.1) }
    }
}
