// Recognizes options of other screen recorders (ffmpeg, wf-recorder, wl-screenrec, gpu-screen-recorder) to suggest the
// option of this program. None of these names is an option here.
import KineMedia
import KineText

enum ForeignOptions {
    /// One sentence about such options in the arguments of `record` or `broadcast`; nil if there are none. Everything
    /// after `--` belongs to COMMAND.
    static func hint(for arguments: [String]) -> String? {
        guard let command = arguments.first, ["record", "broadcast"].contains(command) else { return nil }
        let arguments = Array(arguments.prefix { $0 != "--" })
        var advice: [String] = []
        for (index, argument) in arguments.enumerated() {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            let next = arguments.dropFirst(index + 1).first.flatMap { $0.hasPrefix("-") ? nil : $0 }
            guard let name = parts.first, let meant = meaning(of: name, parts.count > 1 ? parts[1] : next) else {
                continue
            }
            let sentence = meant.sentence(instead: name)
            if !advice.contains(sentence) { advice.append(sentence) }
        }
        guard !advice.isEmpty else { return nil }
        return "Options of another program were given; \(Quantity.list(advice))."
    }

    private enum Meaning {
        /// An option of this program, with its value. Nil: no value, or the text already contains it.
        case option(String, String?)
        case leaveOut(because: String)

        func sentence(instead name: String) -> String {
            switch self {
            case .option(let option, let value?): "write \(option) \(value) for \(name)"
            case .option(let option, nil): "write \(option) for \(name)"
            case .leaveOut(let reason): "leave out \(name), since \(reason)"
            }
        }
    }

    private static func meaning(of name: String, _ typed: String?) -> Meaning? {
        // The typed value may hold a stream key.
        let value = typed.flatMap { $0.utf8.count <= 40 && !$0.contains("/") && $0.isPrintable ? $0 : nil }
        let isNumber = value.map { Double($0) != nil || $0.first?.isNumber == true } ?? false
        switch name {
        case "-framerate", "--framerate": return .option("--fps", value)
        // gpu-screen-recorder's frame rate, wf-recorder's file, ffmpeg's format.
        case "-f" where isNumber: return .option("--fps", value)
        case "-f": return value?.contains(".") ?? true ? .option("-o", value) : .leaveOut(because: format)
        case "--file", "--filename": return .option("-o", value)
        case "-w": return .option(source(value), nil)
        case "-s", "-video_size": return .option("--size", value)
        case "-g" where isNumber && value?.contains(",") == false: return .option("--keyframe-interval TIME", nil)
        case "-g", "--geometry": return .option("--region", nil)
        case "-crf", "-q": return .option("--quality", isNumber ? value : "N")
        case "-preset": return .option("--preset", value)
        case "-b:v": return .option("--bitrate", value)
        case "-b:a": return .option("--audio-bitrate", value)
        case "-an", "--no-audio": return .option("--audio none", nil)
        case "-y": return .option("--overwrite", nil)
        case "-movflags": return .option("--faststart", nil)
        case "-draw_mouse", "-cursor":
            return value == "no" || value == "0"
                ? .option("--no-cursor", nil) : .leaveOut(because: "the pointer is shown anyway")
        case "-vcodec", "-c:v", "-codec:v", "-acodec", "-c:a", "-codec:a", "-c", "-k", "-ac", "--codec":
            return .leaveOut(because: format)
        case "-pix_fmt", "--pixel-format": return .leaveOut(because: "--chroma chooses the pixel format")
        case "-i": return .leaveOut(because: "--monitor, --window and --region choose the source")
        default: return nil
        }
    }

    private static let format = "files are MP4 with H.264 and AAC"

    /// The options for gpu-screen-recorder's sources.
    private static func source(_ value: String?) -> String {
        switch value {
        case nil, "screen": "--monitor all"
        case "focused": "--window focused"
        case "portal": "--backend portal"
        case "region": "--region draw"
        case let name?: name.first?.isNumber == true ? "--window \(name)" : "--monitor \(name)"
        }
    }
}
