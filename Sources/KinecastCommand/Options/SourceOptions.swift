// The options that choose what is recorded.
import ArgumentParser
import KineClient
import KineControl

struct SourceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("One monitor, by the name that kinecast sources lists.", valueName: "NAME"))
    var monitor: String?

    @Option(help: ArgumentHelp("A rectangle of the screen.", valueName: "WxH+X+Y"))
    var region: RegionOption?

    @Option(help: ArgumentHelp("One window, by the id that kinecast sources lists.", valueName: "ID"))
    var window: WindowOption?

    @Option(
        help: ArgumentHelp(
            "A private screen of this size with private audio; needs no display.", valueName: "WxH"))
    var virtual: SizeOption?

    @Option(help: ArgumentHelp("A test pattern with a frame counter and a beep.", valueName: "WxH"))
    var pattern: SizeOption?

    /// The source that was asked for; without one, the whole screen.
    func source() throws -> TakeConfiguration.Source {
        var chosen: [(option: String, source: TakeConfiguration.Source)] = []
        if let monitor { chosen.append(("--monitor", .screen(monitor: monitor))) }
        if let region { chosen.append(("--region", .region(region.rect))) }
        if let window { chosen.append(("--window", .window(window.id))) }
        if let virtual { chosen.append(("--virtual", .virtual(virtual.size))) }
        if let pattern { chosen.append(("--pattern", .pattern(pattern.size))) }
        guard chosen.count <= 1 else {
            throw ValidationError(
                "Only one source can be recorded at a time; give one of \(Quantity.list(chosen.map(\.option))).")
        }
        return chosen.first?.source ?? .screen(monitor: nil)
    }
}
