// The options of the colours in a recording.
import ArgumentParser
import KineMedia

extension ColourFormat.Chroma: ExpressibleByArgument {}

struct ColourOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Record colours with all 256 levels of a byte instead of 220.",
            discussion: "For editing: the finest steps of dark and light stay apart. Not for a broadcast."))
    var fullRange = false

    @Option(
        help: ArgumentHelp(
            "444 records the colour of every pixel, 420 of every square of four.",
            discussion: """
                With 444, coloured text stays as sharp as black text. The file is larger, and browsers and many other players \
                cannot show it. Not for a broadcast.
                """, valueName: "420|444"))
    var chroma = ColourFormat.Chroma.yuv420

    var colour: ColourFormat { ColourFormat(chroma: chroma, isFullRange: fullRange) }

    /// Throws where other colours than the standard ones are asked for.
    func refuseForBroadcast() throws {
        guard colour == .standard else {
            throw ValidationError(
                "--full-range and --chroma 444 are for recordings alone; leave them out, or use kinecast record.")
        }
    }
}
