// Which picture to take.
import ArgumentParser
import KineControl

struct SourceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("One monitor, by its name in kinecast sources.", valueName: "NAME"))
    var monitor: String?

    @Option(help: ArgumentHelp("A rectangle of the screen.", valueName: "WxH+X+Y"))
    var region: RegionOption?

    @Option(help: ArgumentHelp("One window, by its id in kinecast sources.", valueName: "ID"))
    var window: WindowOption?

    @Option(
        help: ArgumentHelp(
            "A private screen of that size with private audio; needs no display.", valueName: "WxH"))
    var virtual: SizeOption?

    @Option(help: ArgumentHelp("A test picture with a frame counter and a beep.", valueName: "WxH"))
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
            let options = chosen.map(\.option)
            let names = options.dropLast().joined(separator: ", ") + " and " + options[options.count - 1]
            throw ValidationError("A take has one picture, and \(names) ask for several; leave all but one out.")
        }
        return chosen.first?.source ?? .screen(monitor: nil)
    }
}
