// Terminal emulators, by the class of their windows. Pure.

/// Programs in whose windows anything may be typed, passwords among it, and which do not say what.
enum Terminals {
    /// Those whose class does not have "term" in it.
    private static let others: Set<String> = [
        "alacritty", "cool-retro-term", "com.mitchellh.ghostty", "foot", "footclient", "ghostty", "guake", "hyper",
        "kgx",
        "kitty", "konsole", "org.gnome.console", "org.gnome.ptyxis", "rio", "rxvt", "st", "st-256color", "tabby",
        "tilda",
        "tilix", "tym", "urxvt", "warp", "contour", "yakuake", "zutty",
    ]

    /// Whether a window of this WM_CLASS is a terminal's.
    static func contain(_ application: String) -> Bool {
        let name = application.lowercased()
        return name.contains("term") || others.contains(name)
    }
}
