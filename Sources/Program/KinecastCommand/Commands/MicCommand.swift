// `kinecast mic`: turns the microphone of a running take on or off.
import ArgumentParser
import KineClient
import KineProgram
import KineTakes
import KineWire

struct MicCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mic",
        abstract: "Record the microphone of a take from now on, or record it no more.",
        usage: "kinecast mic on|off|--toggle [TAKE]",
        discussion: "The take has to be begun with --mic. While the microphone is off, its track is silent.")

    @Argument(
        help: ArgumentHelp(
            "on or off, unless --toggle is given; then the take's id, or the beginning of it, if more than one is running.",
            valueName: "on|off|TAKE"))
    var words: [String] = []

    @Flag(help: ArgumentHelp("Turn it off if it is on, and on if it is off.", discussion: DesktopNotifier.rule))
    var toggle = false

    @Flag(help: "Print the answer as a line of JSON on standard output.")
    var json = false

    func validate() throws { _ = try parsed() }

    /// `isOn`: nil: `--toggle`.
    func parsed() throws -> (isOn: Bool?, take: String?) {
        var rest = words[...]
        var isOn: Bool?
        if !toggle {
            switch rest.popFirst() {
            case "on": isOn = true
            case "off": isOn = false
            default: throw ValidationError("Say what to do with the microphone: on, off or --toggle.")
            }
        } else if let first = rest.first, ["on", "off"].contains(first) {
            throw ValidationError("--toggle cannot be combined with \(first); leave one out.")
        }
        guard rest.count < 2 else {
            throw ValidationError("One take has its microphone turned on or off at a time; give one id.")
        }
        return (isOn, rest.first)
    }

    func run() throws {
        let (chosen, take) = try parsed()
        let asked = try AskedTake.connected(to: take)
        // A take without a microphone refuses the request with the reason.
        let isOn = try chosen ?? (asked.status().isMicrophoneOn != true)
        try asked.ask(.setMicrophone(on: isOn))
        if json { JSONEvents.write(JSONEvent("microphone") { $0.on = isOn }) }
        guard toggle else { return }
        let done = DesktopNotifier.Contents.microphone(isOn: isOn)
        Terminal.standardError.line("\(done.title).")
        DesktopNotifier.tell(done)
    }
}
