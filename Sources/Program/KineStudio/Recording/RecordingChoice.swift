// A recording that a page asks for, as the options of `kinecast record`. The command applies kinecast.conf and reports
// errors, and its take survives the studio.
import KineMedia
import KineText

struct RecordingChoice: Codable, Equatable, Sendable {
    /// The names are those of the options of `kinecast record`.
    enum Source: String, Codable, Sendable, CaseIterable {
        case monitor, window, region, app
    }

    enum ShownKeys: String, Codable, Sendable {
        case none, shortcuts, all
    }

    /// The profile of kinecast.conf whose options hold where the others are absent.
    var profile: String?
    /// Absent, here and below: as configured, else as `kinecast record` without the option.
    var source: Source?
    /// The option's value: a monitor's name, a window's id …
    var name: String?
    /// As for `--audio`.
    var audio: String?
    /// As for `--mic`.
    var microphone: String?
    /// Ignored without `microphone`.
    var microphoneChannels: TakeConfiguration.MicrophoneChannels?
    /// As for `--camera`.
    var camera: String?
    /// The place and look of the camera; without a border. Ignored without `camera`.
    var cameraLayout: CameraLayout?
    /// Seconds that the take keeps for clips.
    var clipBuffer: Int?
    var fps: Int?
    var size: PixelSize?
    var quality: Int?
    var showKeys: ShownKeys?
    var showClicks: Bool?
    var noCursor: Bool?
    /// As for `--exclude`. Empty: no window is hidden, whatever is configured.
    var exclude: [String]?
    /// Seconds before the take.
    var countdown: Int?
    /// The places to broadcast to; empty or absent: the take is only recorded.
    var destinations: [DestinationName]?
    /// Whether a take with destinations is recorded too; absent: it is.
    var isRecorded: Bool?

    /// Unicode scalars.
    static let longestName = 250
    static let longestProfile = 40
    private static let mostExclusions = 64
    private static let mostDestinations = 8
    private static let qualities = 0...51
    private static let countdowns = 0...60
    private static let clipBuffers = 1...1800
    private static let rates = 1...240
    private static let flags: Set = ["show-clicks", "no-cursor", "camera-mirror"]

    /// Whether `kinecast record` accepts each value by its form.
    var isValid: Bool {
        let names = [name, audio, microphone, camera].compactMap(\.self) + (exclude ?? [])
        return (source == nil) == (name == nil) && names.allSatisfy(Self.isName)
            && profile.map(Self.isProfile) != false
            && cameraLayout?.isValid != false
            && clipBuffer.map(Self.clipBuffers.contains) != false
            && fps.map(Self.rates.contains) != false && size.map(Self.isSize) != false
            && quality.map(Self.qualities.contains) != false && countdown.map(Self.countdowns.contains) != false
            && (destinations?.count ?? 0) <= Self.mostDestinations
            && (exclude?.count ?? 0) <= Self.mostExclusions && exclude?.allSatisfy(Self.isRule) != false
    }

    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.count <= longestName && !text.contains("\0")
    }

    static func isProfile(_ name: String) -> Bool {
        name.utf8.count <= longestProfile && name.isPlainName
    }

    private static func isSize(_ size: PixelSize) -> Bool {
        [size.width, size.height].allSatisfy { VideoCodec.frameSides.contains($0) && $0.isMultiple(of: 2) }
    }

    /// `app:NAME`, `title:TEXT` or a window's id as surveys have it.
    private static func isRule(_ text: String) -> Bool {
        if let prefix = ["app:", "title:"].first(where: { text.hasPrefix($0) }) { return text != prefix }
        return text.wholeMatch(of: #/0x[1-9a-f][0-9a-f]{0,7}/#) != nil
    }

    /// The options without dashes and their values. A flag's value is `true` or `false`.
    var options: [(name: String, value: String)] {
        var options: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String?) { if let value { options.append((name, value)) } }
        if let source { add(source.rawValue, name) }
        add("audio", audio)
        add("mic", microphone)
        if let microphone, microphone != "none" { add("mic-channels", microphoneChannels?.rawValue) }
        add("camera", camera)
        if let camera, camera != "none", let layout = cameraLayout {
            add("camera-at", "\(layout.x),\(layout.y)")
            add("camera-size", "\(layout.size)")
            add("camera-shape", layout.shape.rawValue)
            add("camera-mirror", String(layout.isMirrored))
        }
        add("clip-buffer", clipBuffer.map { "\($0)s" })
        add("fps", fps.map(String.init))
        add("size", size.map { "\($0.width)x\($0.height)" })
        add("quality", quality.map(String.init))
        add("show-keys", showKeys?.rawValue)
        add("show-clicks", showClicks.map(String.init))
        add("no-cursor", noCursor.map(String.init))
        // A picture of one window has no others.
        if source != .window, let exclude {
            for rule in exclude.isEmpty ? ["none"] : exclude { add("exclude", rule) }
        }
        add("countdown", countdown.map(String.init))
        return options
    }

    /// The arguments of `kinecast`; nil: a value is missing or cannot be one.
    ///
    /// - Parameter file: the path of the recording beside a broadcast, if `isRecordedBeside`.
    func arguments(recordingTo file: String? = nil) -> [String]? {
        guard isValid else { return nil }
        // A key that toggles ends a take that is only recorded. JSON instead of notifications: the page shows the problem.
        var arguments = isBroadcast ? ["broadcast", "--json"] : ["record", "--toggle", "--json"]
        arguments += (destinations ?? []).map(\.argument)
        if isRecordedBeside, let file { arguments.append("--record=\(file)") }
        if let profile { arguments.append("--profile=\(profile)") }
        for (name, value) in options {
            // Written as one argument, since a value may begin with a dash.
            if !Self.flags.contains(name) { arguments.append("--\(name)=\(value)") }
            if Self.flags.contains(name), value == "true" { arguments.append("--\(name)") }
        }
        return arguments
    }

    private var isBroadcast: Bool { destinations?.isEmpty == false }

    /// Whether a broadcast is recorded too.
    var isRecordedBeside: Bool { isBroadcast && isRecorded ?? true }

    /// Variables for the flags that are off: no argument turns off what is configured.
    var variables: [String] {
        options.filter { Self.flags.contains($0.name) && $0.value == "false" }
            .map {
                "KINECAST_\(isBroadcast ? "BROADCAST" : "RECORD")_\($0.name.uppercased().replacing("-", with: "_"))=false"
            }
    }
}
