// Pictures out of frames, beside FFmpeg's swscale with the same conversions.
import ArgumentParser
import CSWScale
import Glibc
import KineImaging
import KineMeasure
import KineMedia
import KinePlatform

struct ImagingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "imaging", abstract: "Compares crop, scaling and conversion with FFmpeg's swscale.",
        discussion: """
            Each conversion of a whole frame by Kinecast and by swscale (SWS_AREA where it shrinks, SWS_BILINEAR where it grows, and
            SWS_ACCURATE_RND with neither), on one thread, in turn; and what a hundredth of the frame takes, a rectangle in its middle.
            swscale does not turn frames, so that what is turned stands beside the same conversion without a turn.
            """)

    @Option(help: "Rounds of each conversion, the two in turn.")
    var runs = 200

    /// At least so many times as fast as swscale; at most such a part of a frame's time for a hundredth of it.
    static let speedBar = 2.0
    static let partBar = 0.03

    func validate() throws {
        guard runs > 0 else { throw ValidationError("--runs must be at least 1.") }
    }

    func run() throws {
        print(Machine.description(packages: ["libyuv0", "libswscale6"]))
        print("\n| conversion | swscale ms | Kinecast ms | × as fast | a hundredth of it ms | of the whole | |")
        print("|---|--:|--:|--:|--:|--:|---|")
        for conversion in ImagingConversion.all {
            print(row(conversion))
            fflush(nil)
        }
    }

    private func row(_ conversion: ImagingConversion) -> String {
        let pair = conversion.open()
        var (theirs, ours, part): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<runs {
            theirs.append(Self.milliseconds(pair.theirs))
            ours.append(Self.milliseconds(pair.ours))
            part.append(Self.milliseconds(pair.oursInPart))
        }
        let (their, our, partly) = (median(theirs), median(ours), median(part))
        let isKept = their / our >= Self.speedBar && partly / our <= Self.partBar
        return Tables.row([
            conversion.name, fixed(their, 3), fixed(our, 3), fixed(their / our, 2), fixed(partly, 4),
            fixed(partly / our, 4), isKept ? "pass" : "**miss**",
        ])
    }

    private static func milliseconds(_ body: () -> Void) -> Double {
        let start = MonotonicClock.now()
        body()
        return Double(MonotonicClock.now() - start) / 1e6
    }
}
