// The camera over the picture, and the values of its options.
import ArgumentParser
import KineMedia
import KineText
import SystemPackage

/// A camera's name, or the path of a file; the path is made absolute.
struct CameraOption: ExpressibleByArgument, Equatable {
    var device: String
    /// Whether no camera is shown, whatever is configured.
    var isNone: Bool { device == "none" }

    init?(argument: String) {
        guard !argument.isEmpty, argument.utf8.count <= 1000 else { return nil }
        device = argument
        guard argument.contains("/"), !argument.hasPrefix("/") else { return }
        guard let directory = try? OutputPath.workingDirectory() else { return nil }
        device = directory.pushing(FilePath(escaped: argument)).lexicallyNormalized().escaped
    }
}

/// A corner, an edge, the centre, or two fractions.
struct CameraPlaceOption: ExpressibleByArgument, Equatable {
    var x: Double
    var y: Double

    init?(argument: String) {
        guard let place = CameraLayout.place(option: argument) else { return nil }
        (x, y) = place
    }
}

/// A fraction of the picture's height.
struct CameraSizeOption: ExpressibleByArgument, Equatable {
    var fraction: Double

    init?(argument: String) {
        guard let fraction = Double(argument), (0.02...1).contains(fraction) else { return nil }
        self.fraction = fraction
    }
}

/// `none`, `RRGGBB` or `RRGGBB,WIDTH`, the width a fraction of the camera's height.
struct CameraBorderOption: ExpressibleByArgument, Equatable {
    var border: CameraLayout.Border?

    init?(argument: String) {
        if argument == "none" { return }
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts[0].utf8.count == 6, parts[0].allSatisfy(\.isHexDigit),
            let colour = UInt32(parts[0], radix: 16)
        else { return nil }
        var border = CameraLayout.Border(colour: colour)
        if parts.count == 2 {
            guard let width = Double(parts[1]), (0...0.5).contains(width) else { return nil }
            border.width = width
        }
        self.border = border
    }
}

extension CameraLayout.Shape: ExpressibleByArgument {}

/// The typed options of the camera's place and looks; nil: not given.
struct CameraLayoutChoice {
    var place: CameraPlaceOption?
    var size: CameraSizeOption?
    var shape: CameraLayout.Shape?
    var isMirrored: Bool?
    var border: CameraBorderOption?

    var isEmpty: Bool { place == nil && size == nil && shape == nil && isMirrored == nil && border == nil }

    func apply(to layout: inout CameraLayout) {
        if let place { (layout.x, layout.y) = (place.x, place.y) }
        if let size { layout.size = size.fraction }
        if let shape { layout.shape = shape }
        if let isMirrored { layout.isMirrored = isMirrored }
        if let border { layout.border = border.border }
    }
}

/// The camera that a take begins with.
struct CameraOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Show a camera over the picture: a name that kinecast sources lists, default, a generated pattern, or the path of a file with video, shown again and again; none, whatever is configured.",
            valueName: "NAME|default|pattern|PATH|none"))
    var camera: CameraOption?

    @Option(
        help: ArgumentHelp(
            "The camera's place: a corner, an edge, center, or two fractions from the upper left. (default: bottom-right)",
            valueName: "CORNER|X,Y"))
    var cameraAt: CameraPlaceOption?

    @Option(
        help: ArgumentHelp(
            "The camera's height as a fraction of the picture's, from 0.02 to 1. (default: 0.25)", valueName: "FRACTION"
        ))
    var cameraSize: CameraSizeOption?

    @Option(
        help: ArgumentHelp("Its shape. (default: rounded)", valueName: "SHAPE"))
    var cameraShape: CameraLayout.Shape?

    @Flag(help: "Show the camera as in a mirror.")
    var cameraMirror = false

    @Option(
        help: ArgumentHelp(
            "A line around the camera: its colour, and its width as a fraction of the camera's height.",
            valueName: "RRGGBB[,WIDTH]"))
    var cameraBorder: CameraBorderOption?

    func validate() throws {
        guard camera == nil, !choice.isEmpty else { return }
        throw ValidationError("The camera's place and looks were given, but no camera; add --camera default.")
    }

    private var choice: CameraLayoutChoice {
        CameraLayoutChoice(
            place: cameraAt, size: cameraSize, shape: cameraShape, isMirrored: cameraMirror ? true : nil,
            border: cameraBorder)
    }

    func apply(to configuration: inout TakeConfiguration) {
        guard let camera, !camera.isNone else { return }
        var layout = CameraLayout()
        choice.apply(to: &layout)
        configuration.video.camera = TakeConfiguration.Camera(device: camera.device, layout: layout)
    }
}
