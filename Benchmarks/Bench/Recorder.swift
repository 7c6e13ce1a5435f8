// The recorders that are compared, and how each is told to record the same thing.
import KineMeasure
import KineMedia

/// A recorder with its settings.
enum Recorder: Hashable {
    /// An optimisation of Kinecast's that a hidden option switches off.
    enum Switch: String, CaseIterable {
        case damage = "--no-damage-optimization"
        case skipUnchanged = "--no-skip-unchanged"
        case macroblockInfo = "--no-macroblock-info"

        var meaning: String {
            switch self {
            case .damage: "whole screen read every frame"
            case .skipUnchanged: "unchanged frames encoded"
            case .macroblockInfo: "encoder not told what is unchanged"
            }
        }
    }

    case kinecast(without: Switch?)
    /// `decimate`: frames that look like the one before are dropped, and the frame rate varies.
    case ffmpeg(rateFactor: Double, decimate: Bool)

    var name: String {
        switch self {
        case .kinecast(nil): "Kinecast"
        case .kinecast(let part?): "Kinecast \(part.rawValue)"
        case .ffmpeg(let factor, false): "ffmpeg, CRF \(fixed(factor, 1))"
        case .ffmpeg(let factor, true): "ffmpeg mpdecimate, CRF \(fixed(factor, 1))"
        }
    }

    /// The program's path and its arguments.
    func command(_ take: Take, display: String, output: String) throws -> (String, [String]) {
        switch self {
        case .kinecast(let without):
            let arguments = [
                "record", output, "--fps", "\(take.framesPerSecond)", "--audio", take.audio ? "system" : "none",
                "--duration", "\(fixed(take.seconds, 1))s",
            ]
            return (try Tool.sibling("kinecast"), arguments + (without.map { [$0.rawValue] } ?? []))
        case .ffmpeg(let factor, let decimate):
            // -t stands before -i, or with mpdecimate a still screen would be recorded for ever. Audio is opened first:
            // behind the screen it would keep the screen's frames waiting for over a second, and most would be lost.
            var arguments = ["-v", "error", "-nostdin"]
            if take.audio { arguments += ["-f", "pulse", "-t", fixed(take.seconds, 1), "-i", PrivateAudio.monitor] }
            arguments += [
                "-f", "x11grab", "-framerate", "\(take.framesPerSecond)", "-video_size",
                "\(take.size.width)x\(take.size.height)", "-draw_mouse", "1", "-t", fixed(take.seconds, 1), "-i",
                display,
            ]
            if take.audio { arguments += ["-map", "1:v", "-map", "0:a"] }
            arguments += [
                "-vf", (decimate ? "mpdecimate," : "") + "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
                "-c:v", "libx264", "-preset", "veryfast", "-crf", fixed(factor, 2), "-bf", "0", "-g",
                "\(take.framesPerSecond * 10)", "-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace",
                "bt709", "-color_range", "tv",
            ]
            if decimate { arguments += ["-fps_mode", "vfr"] }
            if take.audio { arguments += ["-c:a", "aac", "-b:a", "160k"] }
            return (try Tool.path(of: "ffmpeg"), arguments + [output])
        }
    }
}

/// What is recorded, the same for every recorder.
struct Take: Hashable {
    var scene: SceneKind
    var framesPerSecond: Int
    var seconds: Double
    /// The system's audio is recorded too; it is silent.
    var audio: Bool
    var size: PixelSize

    var title: String { scene.rawValue + (audio ? " with silent audio" : "") }

    /// The frames, to compare a recording with.
    func makeScene() -> any Scene { scene.make(size: size, framesPerSecond: framesPerSecond) }
}

/// `value` with `digits` decimals.
func fixed(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite else { return "–" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let whole = Int((abs(value) * scale).rounded())
    let sign = value < 0 && whole != 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(whole)" }
    let rest = String(whole % Int(scale))
    return "\(sign)\(whole / Int(scale))." + String(repeating: "0", count: digits - rest.count) + rest
}

/// The middle value; the mean of the two middle ones where the count is even. Not a number where there is none.
func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
