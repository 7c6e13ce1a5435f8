// `kinecast thumbnail`: saves one frame of a recording as an image.
import ArgumentParser
import KineChoices
import KineClient
import KineContainers
import KineMedia
import KinePlatform
import KineProgram
import KineText
import KineWire
import SystemPackage

struct ThumbnailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbnail", abstract: "Save a frame of a recording as a PNG or JPEG image.",
        usage: "kinecast thumbnail FILE --at TIME [--size WxH] [-o FILE] [options]",
        discussion: """
            The frame that is shown at that time is decoded; the recording stays as it is. Without -o the image is beside FILE.

            kinecast thumbnail demo.mp4 --at 1:05 --size 320x180 -o demo.jpg
            """)

    @Argument(
        help: ArgumentHelp("A recording of Kinecast's.", valueName: "FILE"), completion: .file(extensions: ["mp4"]))
    var file: String

    @Option(
        help: ArgumentHelp("The time at which the frame is shown: 12.5, 1m30s or 1:30.", valueName: "TIME"),
        transform: TimeOption.parse)
    var at: TimeOption

    @Option(
        help: ArgumentHelp(
            "The image keeps the frame's shape and fits into WxH; it is never enlarged. (default: the frame's size)",
            valueName: "WxH"), transform: ImageSizeOption.parse)
    var size: ImageSizeOption?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "The image, whose name ends in .png, .jpg or .jpeg, or a directory for it. (default: FILE with .png)",
            valueName: "FILE"),
        completion: .file(extensions: ["png", "jpg", "jpeg"]))
    var output: String?

    @Flag(help: "Replace an older file.")
    var overwrite = false

    @Flag(help: "Print a line of JSON on standard output.")
    var json = false

    func run() throws {
        let directory = try OutputPath.workingDirectory()
        let input = directory.pushing(FilePath(escaped: file))
        var named = input
        named.extension = "png"
        let (target, _) = try OutputPath.derived(output, from: named)
        let format = try Self.format(target)
        let request = ImagesRequest(
            input: input.escaped, times: [at.time], maximumSize: size?.size, format: format)
        let images = try MainThread.shared.wait { () async throws(ClientError) in
            try await RecordingEditor().images(request)
        }
        guard let image = images.first else { return }
        try write(image, to: target)
        let text = EditSentences.thumbnail(image, target.escaped)
        if json { JSONEvents.write(JSONEvent.thumbnail(image, target.escaped, message: text)) }
        Terminal.standardError.line(text)
    }

    private static func format(_ path: FilePath) throws -> String {
        switch path.extension?.lowercased() {
        case "png": return "png"
        case "jpg", "jpeg": return "jpeg"
        default:
            throw CommandFailure.usage(
                "\(path.escaped) is neither a .png nor a .jpg; give the image one of these endings.")
        }
    }

    private func write(_ image: RecordedImage, to path: FilePath) throws(CommandFailure) {
        do throws(StorageError) {
            let file = try WholeFile(path.escaped, ifTaken: overwrite ? .replace : .refuse)
            try file.write(Array(image.data), at: 0)
            try file.publishWhole()
        } catch {
            let alternative: Alternative? = if case .alreadyExists = error { .replaceFile } else { nil }
            throw CommandFailure(
                status: error.isCreationFailure ? ExitStatus.cannotCreate : ExitStatus.storageFailed,
                message: TakeSentences.sentence("\(error).", or: alternative?.words))
        }
    }
}

/// The size of an image, such as `320x180`: sides of 1 to 16384 pixels.
struct ImageSizeOption: OptionValue, Equatable {
    static var form: String { "give WxH, 1 to \(VideoCodec.frameSides.upperBound) pixels each, such as 320x180" }

    var size: PixelSize

    init?(argument: String) {
        guard let size = SizeOption.size(argument, sides: 1...VideoCodec.frameSides.upperBound) else { return nil }
        self.size = size
    }
}
