// `kinecast tray`: becomes the process kinecast-tray, which links what a menu and keys need and nothing else.
import ArgumentParser

struct TrayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tray", abstract: "Show what is recorded in the desktop's tray, with a menu.",
        discussion: """
            The menu starts, pauses and stops takes, and opens recordings. While it runs, the keys of kinecast shortcuts work. It \
            runs until Quit is chosen or the desktop's session ends; a second one ends at once.
            """)

    enum Switch: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    @Option(help: ArgumentHelp("Start it with the desktop from now on, or no longer.", valueName: "on|off"))
    var autostart: Switch?

    @Flag(help: "End the one that runs.")
    var quit = false

    func validate() throws {
        guard autostart == nil || !quit else {
            throw ValidationError("--autostart cannot be combined with --quit; leave one out.")
        }
    }

    func run() throws {
        let options = (autostart.map { ["--autostart", $0.rawValue] } ?? []) + (quit ? ["--quit"] : [])
        try NeighbourProgram.become("kinecast-tray", options)
    }
}
