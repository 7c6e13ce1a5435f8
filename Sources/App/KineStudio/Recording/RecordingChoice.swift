// A recording that a page asks for, as the options of `kinecast record`. The command applies kinecast.conf and reports
// errors, and its take survives the studio.
import KinePlatform

struct RecordingChoice: Codable, Equatable, Sendable {
    /// The names are those of the options of `kinecast record`.
    enum Source: String, Codable, Sendable {
        case monitor, window, region, app
    }

    /// Absent, here and below: as configured, else as `kinecast record` without the option.
    var source: Source?
    /// The option's value: a monitor's name, a window's id …
    var name: String?
    /// As for `--audio`.
    var audio: String?
    /// As for `--mic`.
    var microphone: String?
    /// Seconds that the take keeps for clips.
    var clipBuffer: Int?
    /// The places to broadcast to; empty or absent: the take is only recorded.
    var destinations: [DestinationName]?
    /// Whether a take with destinations is recorded too; absent: it is.
    var isRecorded: Bool?

    /// Whether the page counts down first. The server only keeps it.
    var countsDown: Bool?

    /// Unicode scalars.
    static let longestName = 250
    private static let mostDestinations = 8

    /// The arguments of `kinecast`; nil: a value is missing or cannot be one.
    var arguments: [String]? {
        let names = [name, audio, microphone].compactMap(\.self)
        guard (source == nil) == (name == nil),
            names.allSatisfy({ !$0.isEmpty && $0.unicodeScalars.count <= Self.longestName && !$0.contains("\0") })
        else { return nil }
        guard var arguments = command else { return nil }
        if let sourceArgument { arguments.append(sourceArgument) }
        if let audio { arguments.append("--audio=\(audio)") }
        if let microphone { arguments.append("--mic=\(microphone)") }
        if let clipBuffer {
            guard (1...1800).contains(clipBuffer) else { return nil }
            arguments.append("--clip-buffer=\(clipBuffer)s")
        }
        return arguments
    }

    /// One argument, since a value may begin with a dash.
    var sourceArgument: String? {
        guard let source, let name else { return nil }
        return "--\(source.rawValue)=\(name)"
    }

    /// The command and its destinations. JSON instead of notifications: the page shows the problem.
    private var command: [String]? {
        guard let destinations, !destinations.isEmpty else {
            // A key that toggles ends this take.
            return ["record", "--toggle", "--json"]
        }
        guard destinations.count <= Self.mostDestinations else { return nil }
        var arguments = ["broadcast", "--json"] + destinations.map(\.argument)
        guard isRecorded ?? true else { return arguments }
        guard let file = UserDirectories.newRecording() else { return nil }
        arguments.append("--record=\(file.escaped)")
        return arguments
    }
}
