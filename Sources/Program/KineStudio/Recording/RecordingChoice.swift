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
    var noInputTrack: Bool?
    /// As for `--exclude`. Empty: no window is hidden, whatever is configured.
    var exclude: [String]?
    var excludeHow: TakeConfiguration.ExcludeHow?
    /// Seconds before the take.
    var countdown: Int?
    /// The places to broadcast to; empty or absent: the take is only recorded.
    var destinations: [DestinationName]?
    /// For `live:public` among the destinations.
    var link: PublicLink?
    /// Whether a take with destinations is recorded too; absent: it is.
    var isRecorded: Bool?
    /// What the windows do while they would be in the picture; absent: they stay.
    var whileRecording: WindowConduct?

    enum WindowConduct: String, Codable, Sendable {
        case hidden, bar, stay
    }
    /// The window that is a bar meanwhile, and left out of the picture, as in `exclude`. It is not kept.
    var window: String?

    /// Whether windows leave the screen before the recording. A window's picture has no others.
    var leaves: Bool { whileRecording == .hidden && source != .window }

    /// Unicode scalars.
    static let longestName = 250
    static let longestProfile = 40
    private static let mostExclusions = 64
    private static let mostDestinations = 8
    private static let qualities = 0...51
    private static let countdowns = 0...60
    private static let clipBuffers = 1...1800
    private static let rates = 1...240

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
            && window.map { $0.hasPrefix("0x") && Self.isRule($0) } != false
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

    /// `app:NAME`, `title:TEXT`, `process:PID` or a window's id as surveys have it, also as `above:ID`.
    private static func isRule(_ text: String) -> Bool {
        if let prefix = ["app:", "title:"].first(where: { text.hasPrefix($0) }) { return text != prefix }
        return text.wholeMatch(of: #/(above:)?0x[1-9a-f][0-9a-f]{0,7}|process:[1-9][0-9]{0,6}/#) != nil
    }

    /// The options that the choice sets.
    var options: [(option: RecordingOption, value: String)] {
        RecordingOption.all.flatMap { option in option.read(self).map { (option: option, value: $0) } }
    }

    /// The arguments of `kinecast`; nil: a value is missing or cannot be one.
    ///
    /// - Parameter path: of the recording beside a broadcast, or of its directory, if `isRecordedBeside`.
    func arguments(recordingTo path: String? = nil) -> [String]? {
        guard isValid else { return nil }
        // A key that toggles ends a take that is only recorded. JSON instead of notifications: the page shows the problem.
        var arguments = isBroadcast ? ["broadcast", "--json"] : ["record", "--toggle", "--json"]
        arguments += (destinations ?? []).map(\.argument)
        if isRecordedBeside, let path { arguments.append("--record=\(path)") }
        if let profile { arguments.append("--profile=\(profile)") }
        for (option, value) in options {
            // Written as one argument, since a value may begin with a dash.
            if !option.isFlag { arguments.append("--\(option.name)=\(value)") }
            if option.isFlag, value == "true" { arguments.append("--\(option.name)") }
        }
        return arguments
    }

    private var isBroadcast: Bool { destinations?.isEmpty == false }

    /// Whether a broadcast is recorded too.
    var isRecordedBeside: Bool { isBroadcast && isRecorded ?? true }

    /// Variables for the flags that are off: no argument turns off what is configured.
    var variables: [String] {
        options.filter { $0.option.isFlag && $0.value == "false" }
            .map {
                "KINECAST_\(isBroadcast ? "BROADCAST" : "RECORD")_\($0.option.name.uppercased().replacing("-", with: "_"))=false"
            }
    }
}

/// An option of `kinecast record` that a choice can hold.
struct RecordingOption: Sendable {
    /// Without dashes.
    let name: String
    /// Whether its value is `true` or `false`.
    var isFlag = false
    /// Its values in a choice; several if it can be repeated.
    let read: @Sendable (RecordingChoice) -> [String]
    /// Returns nil for values that a choice cannot hold.
    let write: @Sendable (inout RecordingChoice, [String]) -> Void?

    /// In the order of a command.
    static let all: [RecordingOption] = RecordingChoice.Source.allCases.map(source) + others

    private static let others: [RecordingOption] = [
        value("audio", \.audio),
        value("mic", \.microphone),
        option("mic-channels", { $0.hasMicrophone ? $0.microphoneChannels?.rawValue : nil }) { choice, text in
            TakeConfiguration.MicrophoneChannels(rawValue: text).map { choice.microphoneChannels = $0 }
        },
        value("camera", \.camera),
        option("camera-at", { $0.shownLayout.map { "\($0.x),\($0.y)" } }) { choice, text in
            CameraLayout.place(option: text).map { (choice.layout.x, choice.layout.y) = $0 }
        },
        option("camera-size", { $0.shownLayout.map { "\($0.size)" } }) { choice, text in
            Double(text).map { choice.layout.size = $0 }
        },
        option("camera-shape", { $0.shownLayout?.shape.rawValue }) { choice, text in
            CameraLayout.Shape(rawValue: text).map { choice.layout.shape = $0 }
        },
        option("camera-mirror", isFlag: true, { $0.shownLayout?.isMirrored.description }) { choice, text in
            Bool(text).map { choice.layout.isMirrored = $0 }
        },
        option("clip-buffer", { $0.clipBuffer.map { "\($0)s" } }) { choice, text in
            Int(text.hasSuffix("s") ? String(text.dropLast()) : text).map { choice.clipBuffer = $0 }
        },
        value("fps", \.fps),
        option("size", { $0.size.map { "\($0.width)x\($0.height)" } }) { choice, text in
            let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
            guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
            choice.size = PixelSize(width: width, height: height)
            return ()
        },
        value("quality", \.quality),
        option("show-keys", { $0.showKeys?.rawValue }) { choice, text in
            RecordingChoice.ShownKeys(rawValue: text).map { choice.showKeys = $0 }
        },
        value("show-clicks", \.showClicks, isFlag: true),
        value("no-cursor", \.noCursor, isFlag: true),
        value("no-input-track", \.noInputTrack, isFlag: true),
        RecordingOption(
            name: "exclude",
            read: { choice in
                // A picture of one window has no others.
                guard choice.source != .window, let exclude = choice.exclude else { return [] }
                return exclude.isEmpty ? ["none"] : exclude
            }, write: { choice, values in choice.exclude = values == ["none"] ? [] : values }),
        option("exclude-how", { $0.source == .window ? nil : $0.excludeHow?.rawValue }) { choice, text in
            TakeConfiguration.ExcludeHow(rawValue: text).map { choice.excludeHow = $0 }
        },
        value("countdown", \.countdown),
    ]

    private static func source(_ source: RecordingChoice.Source) -> RecordingOption {
        option(source.rawValue, { $0.source == source ? $0.name : nil }) { choice, text in
            (choice.source, choice.name) = (source, text)
        }
    }

    private static func value<Value: LosslessStringConvertible & Sendable>(
        _ name: String, _ member: WritableKeyPath<RecordingChoice, Value?> & Sendable, isFlag: Bool = false
    ) -> RecordingOption {
        option(name, isFlag: isFlag, { $0[keyPath: member]?.description }) { choice, text in
            Value(text).map { choice[keyPath: member] = $0 }
        }
    }

    /// An option that is not repeated.
    private static func option(
        _ name: String, isFlag: Bool = false, _ read: @escaping @Sendable (RecordingChoice) -> String?,
        write: @escaping @Sendable (inout RecordingChoice, String) -> Void?
    ) -> RecordingOption {
        RecordingOption(
            name: name, isFlag: isFlag, read: { choice in [read(choice)].compactMap(\.self) },
            write: { choice, values in values.last.flatMap { write(&choice, $0) } })
    }
}

extension RecordingChoice {
    fileprivate var hasMicrophone: Bool { microphone != nil && microphone != "none" }
    /// Nil without a camera.
    fileprivate var shownLayout: CameraLayout? { camera == nil || camera == "none" ? nil : cameraLayout }
    fileprivate var layout: CameraLayout {
        get { cameraLayout ?? CameraLayout() }
        set { cameraLayout = newValue }
    }
}
