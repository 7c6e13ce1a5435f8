// What was drawn and played beside what was seen and heard of it. Pure.
import KineMeasure

/// The delays of one way of playing, in milliseconds.
struct GlassDelays {
    /// From each frame's drawing to its first sight.
    var frames: [Double] = []
    /// From each beep at the source to the same beep at the viewer's.
    var audio: [Double] = []
    /// By how much each beep came later than the frame it belongs to, both counted from the source. Negative: earlier.
    var offsets: [Double] = []
    /// Beeps that could have been heard: those whose frames were seen, but for the last.
    var beepCount = 0

    /// A beep is not taken for one of a second before or after it.
    private static let reach: Int64 = 900_000_000

    /// All instants are nanoseconds of CLOCK_MONOTONIC.
    /// - Parameters:
    ///   - drawn: the scene's log.
    ///   - seen: frames in the order in which they were first seen.
    ///   - heard: when each beep began.
    init(drawn: [SceneProcess.Shown], seen: [GlassStage.Sight], heard: [Int64]) {
        var instants: [Int: Int64] = [:]
        for shown in drawn { instants[shown.frame] = shown.instant }
        let sights = seen.compactMap { sight in
            instants[sight.number].map { (number: sight.number, at: sight.instant, delay: sight.instant - $0) }
        }
        frames = sights.map { Double($0.delay) / 1e6 }
        guard let first = sights.first, let last = sights.last else { return }
        for shown in drawn where shown.frame > first.number {
            // What the page shows of a frame that it left out is the next one.
            guard let beep = shown.beep, beep + Self.reach < last.at,
                let sight = sights.first(where: { $0.number >= shown.frame })
            else { continue }
            beepCount += 1
            // An audio that is early, by a clock that is read a little wrong, is still that audio.
            guard let at = heard.first(where: { $0 > beep - 50_000_000 && $0 < beep + Self.reach }) else { continue }
            audio.append(Double(at - beep) / 1e6)
            offsets.append(Double(at - beep - sight.delay) / 1e6)
        }
    }
}
