// Texts of kinecast.conf: what each gives the command, or why it is refused.
import CoreTesting
import KineConfiguration
import KinePlatform
import KineProgram
import KineText
import SystemPackage
import Testing

@testable import KinecastCommand

enum ConfigurationExamples {
    static let path: FilePath = "/c/kinecast.conf"

    static func file(_ text: String) throws(CommandFailure) -> ConfigurationFile {
        try ConfigurationFile(text.unescaped, path: path)
    }

    static func layers(_ text: String, _ environment: [String] = []) throws(CommandFailure) -> ConfigurationLayers {
        ConfigurationLayers(file: try file(text), environment: environment)
    }

    /// The arguments of a command for which these were typed.
    static func arguments(
        _ layers: ConfigurationLayers, _ typed: [String], profile: String? = nil
    ) throws -> [String] {
        let command = try #require(ConfiguredCommand(rawValue: typed[0]))
        let options = try layers.options(of: command, profile: profile)
        return options.used(beside: TypedOptions(typed.dropFirst(), of: command)).arguments(before: typed, home: "/h")
    }

    /// The arguments that `record` gets of each.
    static let recordings: [(String, [String])] = [
        ("", []),
        ("# a comment alone\n\n", []),
        ("[record]\nfps = 60\nmic = default\n", ["--fps", "60", "--mic", "default"]),
        ("\u{FEFF}[record]\r\nfps=60\r\n", ["--fps", "60"]),
        ("  [ record ]\n\t# slow\n\tfps\t=\t60", ["--fps", "60"]),
        ("[record]\noutput = \"  a b.mp4 \"", ["--output", "  a b.mp4 "]),
        ("[record]\nwindow = title:\"a\" = #1", ["--window", "title:\"a\" = #1"]),
        ("[record]\napp = \"\"a\"\"", ["--app", "\"a\""]),
        ("[record]\noutput = -\nfaststart = true", ["--output=-"]),
        ("[record]\noutput = ~/Videos\noverwrite = true\ncfr = false", ["--output", "/h/Videos", "--overwrite"]),
        ("[record]\nexclude = title:Mail\nexclude = app:a", ["--exclude", "title:Mail", "--exclude", "app:a"]),
        ("[record]\napp = \u{301}a", ["--app", "\u{301}a"]),
        ("[record]\noutput = caf\u{efe9}.mp4", ["--output", "caf\u{efe9}.mp4"]),
        ("[record]\ncamera-at = top\nseparate-tracks = true", []),
        (
            "[record]\ncamera-at = top\ncamera = pattern\nmic = usb\nseparate-tracks = true",
            ["--camera-at", "top", "--camera", "pattern", "--mic", "usb", "--separate-tracks"]
        ),
        ("[record talk]\nfps = 60\n[broadcast]\nfps = 24\n[record]\nduration = 1m", ["--duration", "1m"]),
    ]

    /// The arguments that `broadcast` gets of each.
    static let broadcasts: [(String, [String])] = [
        ("[record]\nfps = 60", []),
        ("[broadcast]\ntitle = Show\nlisten = 0.0.0.0:8080", ["--title", "Show", "--listen", "0.0.0.0:8080"]),
        ("[broadcast]\ntitle = Show\nto = @youtube", ["--to", "@youtube"]),
        (
            "[broadcast]\ntitle = Show\nto = env:KEYED\nservice = live",
            ["--title", "Show", "--to", "env:KEYED", "--service", "live"]
        ),
        ("[broadcast]\nshare-encode = true\nfaststart = true\nmax-reconnects = 3", []),
        (
            "[broadcast]\nrecord = ~/a.mp4\nfaststart = true\nset = key=@/f",
            ["--record", "/h/a.mp4", "--faststart", "--set", "key=@/f"]
        ),
        ("[broadcast]\npublic-url = https://live.example.org/", ["--public-url", "https://live.example.org/"]),
    ]

    /// Texts, the line that is refused, and words of the sentence about it.
    static let refusals: [(String, Int, String)] = [
        ("fps = 60", 1, "no section is above this setting"),
        ("[recrod]", 1, "this is no section"), ("[record", 1, "this is no section"), ("[]", 1, "this is no section"),
        ("[record a b]", 1, "this is no section"), ("[record é]", 1, "this is no section"),
        ("[record]\n[record]", 2, "[record] is here a second time"),
        ("[record]\nhush", 2, "this is no setting"),
        ("[record]\nfps = 60\n\nfps = 30", 4, "fps is in [record] a second time"),
        ("[record]\nfsp = 60", 2, "record has no option fsp"), ("[record]\ntitle = a", 2, "record has no option title"),
        ("[record]\nfps =", 2, "fps has no value"), ("[record]\napp = \"\"", 2, "app has no value"),
        ("[record]\napp = \"a", 2, "begins with a quotation mark"),
        ("[record]\ncfr = yes", 2, "cfr is a flag; give it true or false"),
        ("[record]\napp = a\0b", 2, "has a control character"),
        ("[record]\nno-indicator = true", 2, "the indicator is not configured"),
        ("[record]\ntoggle = true", 2, "it is for a key"),
        ("[record]\nask = false", 2, "permissions are not configured"),
        ("[broadcast]\nrequire-sandbox = true", 2, "the sandbox is not configured"),
        ("[broadcast]\nchroma = 444", 2, "for recordings alone"), ("[record]\nprofile = a", 2, "chosen each time"),
        ("[broadcast]\nto = rtmp://h/app/hush", 2, "kinecast/destinations"),
        ("[broadcast]\nto = hush", 2, "kinecast/destinations"),
        ("[broadcast]\nset = password=hush", 2, "set to KEY=@FILE"),
        ("[broadcast]\nstream-key-file = hush", 2, "kinecast/destinations"),
        ("[broadcast]\nstream-key = hush", 2, "kinecast/destinations"),
        ("[broadcast]\nrtmp://h/app/hush?a = b", 2, "kinecast/destinations"),
        ("[record]\nfps = rtmp://h/app/hush", 2, "kinecast/destinations"),
    ]

    /// Texts with values that the options do not accept, or not together, and words of the sentence about each.
    static let wrongValues: [(String, String)] = [
        ("[record]\nfps = fast", "invalid for '--fps <N>': give a whole number"),
        ("[record]\nfps = fast", "--fps is set by /c/kinecast.conf:2."),
        ("[record]\npreset = quick", "; give one of ultrafast, "),
        ("[record]\nwhen-locked = never", "; give one of "),
        ("[record]\nwhen-unplugged = never", "; give one of "),
        ("[record]\nexclude-how = blur", "; give one of "),
        ("[record]\nmic = default\nmic-channels = both", "; give one of "),
        ("[record]\nquality = 52", "give a whole number from 0 (best) to 51; --quality is set by /c/kinecast.conf:2."),
        ("[record]\nclip-buffer = 2h", "up to 30 minutes; --clip-buffer is set by /c/kinecast.conf:2."),
        ("[record]\ncountdown = 61", "give 0 to 60 seconds; --countdown is set by /c/kinecast.conf:2."),
        ("[record]\ncursor-scale = 9", "--cursor-scale is set by /c/kinecast.conf:2."),
        ("[record]\ncamera-at = 2,0", "--camera-at is set by /c/kinecast.conf:2."),
        ("[record]\nquality = 18\nbitrate = 4M", "--quality is set by /c/kinecast.conf:2 and --bitrate is set by"),
        ("[record]\nwindow = x rtmp://h/hush", "--window is set by /c/kinecast.conf:2."),
        ("[record]\n[record talk]\nfps = fast", "--fps is set by /c/kinecast.conf:3."),
        ("[broadcast]\nlisten = here:8080", "--listen is set by /c/kinecast.conf:2"),
    ]

    /// Expects one sentence without a secret.
    static func expectSentence(_ failure: CommandFailure?) {
        guard let failure else { return }
        #expect(failure.status == ExitStatus.usage)
        let message = failure.message
        let isSentence = message.hasSuffix(".") && !message.dropLast().contains(". ") && message.isPrintable
        #expect(isSentence && !message.contains("hush"), "\(message)")
    }
}
