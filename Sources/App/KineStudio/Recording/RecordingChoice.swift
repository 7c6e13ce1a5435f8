// A recording that a page asks for, as the options of `kinecast record`. The command applies kinecast.conf and reports
// errors, and its take survives the studio.

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

    /// Unicode scalars.
    private static let longestName = 250

    /// The arguments of `kinecast`; nil: a value is missing or cannot be one.
    var arguments: [String]? {
        let names = [name, audio, microphone].compactMap(\.self)
        guard (source == nil) == (name == nil),
            names.allSatisfy({ !$0.isEmpty && $0.unicodeScalars.count <= Self.longestName && !$0.contains("\0") })
        else { return nil }
        // A key that toggles ends this take. JSON instead of notifications: the page shows the problem.
        var arguments = ["record", "--toggle", "--json"]
        // Written as one argument, since a value may begin with a dash.
        if let source, let name { arguments.append("--\(source.rawValue)=\(name)") }
        if let audio { arguments.append("--audio=\(audio)") }
        if let microphone { arguments.append("--mic=\(microphone)") }
        if let clipBuffer {
            guard (1...1800).contains(clipBuffer) else { return nil }
            arguments.append("--clip-buffer=\(clipBuffer)s")
        }
        return arguments
    }
}
