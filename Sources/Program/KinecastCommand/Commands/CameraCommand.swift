// `kinecast camera`: shows, moves or hides the camera of a running take.
import ArgumentParser
import KineClient
import KineMedia

struct CameraCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "camera",
        abstract: "Show a camera in a take from now on, move it, or hide it.",
        usage: "kinecast camera [TAKE] [--device NAME] [--off] [options]",
        discussion: """
            What is not said stays as it is: kinecast camera --at top-left moves the camera that is shown. Where none is shown, \
            the default camera is, or the one of --device.
            """)

    @OptionGroup var argument: TakeArgument

    @Option(
        help: ArgumentHelp(
            "The camera to show: a name that kinecast sources lists, default, a generated pattern, or the path of a file with video.",
            valueName: "NAME|default|pattern|PATH"))
    var device: CameraOption?

    @Flag(help: "Show no camera any more.")
    var off = false

    @Option(
        help: ArgumentHelp(
            "Its place: a corner, an edge, center, or two fractions from the upper left.", valueName: "CORNER|X,Y"))
    var at: CameraPlaceOption?

    @Option(
        help: ArgumentHelp(
            "Its height as a fraction of the picture's, from 0.02 to 1.", valueName: "FRACTION"))
    var size: CameraSizeOption?

    @Option(help: ArgumentHelp("Its shape.", valueName: "SHAPE"))
    var shape: CameraLayout.Shape?

    @Flag(inversion: .prefixedNo, help: "Show it as in a mirror.")
    var mirror: Bool?

    @Option(
        help: ArgumentHelp(
            "A line around it: its colour, and its width as a fraction of the camera's height; or none.",
            valueName: "RRGGBB[,WIDTH]|none"))
    var border: CameraBorderOption?

    private var choice: CameraLayoutChoice {
        CameraLayoutChoice(place: at, size: size, shape: shape, isMirrored: mirror, border: border)
    }

    private var isHidden: Bool { off || device?.isNone == true }

    func validate() throws {
        guard off, device != nil || !choice.isEmpty else { return }
        throw ValidationError("--off shows no camera, which has no device, place or looks; leave the others out.")
    }

    func run() throws {
        let take = try argument.connect()
        var shown: TakeConfiguration.Camera?
        if !isHidden {
            var camera = try take.status().camera ?? .init()
            if let device { camera = .init(device: device.device, layout: camera.layout) }
            choice.apply(to: &camera.layout)
            shown = camera
        }
        try take.ask(.setCamera(shown))
        if argument.json {
            JSONEvents.write(
                JSONEvent("camera") {
                    $0.on = shown != nil
                    $0.device = shown?.device
                })
        }
    }
}
