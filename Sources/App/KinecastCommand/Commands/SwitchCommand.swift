// `kinecast switch`: another source during a take.
import ArgumentParser
import KineClient

struct SwitchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch",
        abstract: "Show another source in a take from now on, without a gap in its file or broadcasts.",
        discussion: """
            The new source is opened before the old one is let go, and fitted into the take's size. If it cannot be opened, the take \
            goes on with the old one.
            """)

    @OptionGroup var argument: TakeArgument
    @OptionGroup var display: DisplayOptions

    func validate() throws {
        guard let source = try display.chosen.onlySource else {
            throw ValidationError("Say what to show: --monitor, --region, --window or --app.")
        }
        if case .commandWindow = source {
            throw ValidationError(
                "--window command is for the beginning of a take; name the window by its id or title.")
        }
    }

    func run() throws {
        guard let source = try display.chosen.onlySource else { return }
        try argument.ask { (take) async throws(ClientError) in try await take.switchSource(to: source) }
        if argument.json { JSONEvents.write(JSONEvent("sourceSwitched") { $0.source = source.description }) }
    }
}
