// The lines of `--json`. docs/json-events.md is the contract: keys never change their meaning; new keys may be added.
import FoundationEssentials
import KineContainers
import KineMedia
import KinePlatform
import KineTakes
import KineWire

/// One event of a take. Keys without a value are omitted.
struct JSONEvent: Encodable, Equatable {
    /// The kind of event, which determines its keys.
    let event: String
    /// Seconds since 1970, UTC.
    var time: Double
    var id: String?
    var output: String?
    /// All files of a split recording.
    var files: [String]?
    var width: Int?
    var height: Int?
    var environment: [String]?
    /// The highest bitrate for destinations, in bits a second.
    var maximumBitrate: Int?
    /// Whether the microphone is recorded, or a camera is shown.
    var on: Bool?
    /// The camera, as requested.
    var device: String?
    /// The source as it was asked for, and its name for a person.
    var source: String?
    var sourceName: String?
    /// The application that plays, and the output to which it does, for `--audio output:NAME`.
    var application: String?
    var audioOutput: String?
    /// The monitor that is gone.
    var monitor: String?
    /// Whether the screen is locked.
    var locked: Bool?
    /// The seconds until the take begins.
    var seconds: Int?
    /// Seconds of pauses that the screen's lock began.
    var pausedByLock: Double?
    /// Seconds of recorded time, without pauses.
    var duration: Double?
    var bytes: Int64?
    var framesDrawn: Int?
    var framesUnchanged: Int?
    var framesDropped: Int?
    /// For a clip or an excerpt: its frames, and the number at its start that were encoded again.
    var frames: Int?
    var framesEncoded: Int?
    /// For a film.
    var zooms: Int?
    /// The time from which the frame of an image is shown, in seconds from the recording's start.
    var at: Double?
    var message: String?
    /// The message's code, if it has one, and the values that it names.
    private(set) var code: String?
    private(set) var values: [String: String]?
    /// COMMAND's exit status.
    var status: Int32?
    /// The signal that killed COMMAND.
    var signal: Int32?
    /// For a summary: `finished`, `recovered` or `failed`.
    var result: String?
    var reason: String?
    /// The exit status of the take. If COMMAND failed, the process exits with COMMAND's status instead.
    var exitStatus: Int32?
    /// For progress and summary of a broadcast.
    var destinations: [DestinationSnapshot]?
    /// The beginning of a clip, in seconds of the recording.
    var start: Double?
    /// The requested length of a clip, in seconds.
    var askedDuration: Double?
    // The event `destination`: its place among the take's destinations, and the event's kind.
    var destination: Int?
    var label: String?
    var kind: String?
    var phase: String?
    var link: String?
    var state: String?
    var serviceInfo: [String: String]?
    /// For a line of the log.
    var level: String?
    /// For the event `dropped`: the number of missing events.
    var count: Int?
    var ending: String?
    /// In bytes, like the next two.
    var residentMemory: Int?
    var peakMemory: Int?
    var memoryLimit: Int?

    init(_ event: String, time: Double = JSONEvent.now(), _ fill: (inout JSONEvent) -> Void = { _ in }) {
        self.event = event
        self.time = time
        fill(&self)
    }

    mutating func set(_ code: ProblemCode?) { (self.code, values) = (code?.name, code?.givenValues) }

    mutating func set(_ progress: TakeProgress) {
        duration = progress.duration.seconds
        bytes = progress.bytes
        framesDrawn = progress.framesDrawn
        framesUnchanged = progress.framesUnchanged
        framesDropped = progress.framesDropped
        if !progress.destinations.isEmpty { destinations = progress.destinations.map { DestinationSnapshot($0) } }
    }

    /// The last event about a file.
    private static func summary(
        _ result: String, _ output: String, size: PixelSize?, bytes: Int64, message: String, exitStatus: Int32 = 0,
        _ fill: (inout JSONEvent) -> Void
    ) -> JSONEvent {
        JSONEvent("summary") {
            $0.result = result
            $0.exitStatus = exitStatus
            $0.output = output
            ($0.width, $0.height) = (size?.width, size?.height)
            $0.bytes = bytes
            $0.message = message
            fill(&$0)
        }
    }

    static func recovered(
        _ output: String, _ saved: RecoveredFile, size: PixelSize?, message: String, exitStatus: Int32
    ) -> JSONEvent {
        summary("recovered", output, size: size, bytes: saved.bytes, message: message, exitStatus: exitStatus) {
            $0.duration = saved.duration.seconds
            $0.framesDrawn = saved.frames
        }
    }

    static func clip(_ clip: ExportedClip) -> JSONEvent {
        JSONEvent("clip") {
            $0.output = clip.output
            $0.start = clip.start.seconds
            $0.duration = clip.duration.seconds
            $0.askedDuration = clip.askedDuration?.seconds
            $0.bytes = clip.bytes
            $0.frames = clip.frames
        }
    }

    static func trimmed(_ file: TrimmedRecording, message: String) -> JSONEvent {
        summary("trimmed", file.path, size: file.size, bytes: file.bytes, message: message) {
            $0.duration = file.duration.seconds
            $0.frames = file.frames
            $0.framesEncoded = file.framesEncoded
        }
    }

    static func exported(_ film: ExportedRecording, message: String) -> JSONEvent {
        summary("exported", film.path, size: film.size, bytes: film.bytes, message: message) {
            $0.duration = film.duration.seconds
            $0.frames = film.frames
            $0.framesEncoded = film.framesEncoded
            $0.zooms = film.zooms
        }
    }

    static func thumbnail(_ image: RecordedImage, _ output: String, message: String) -> JSONEvent {
        summary("thumbnail", output, size: image.size, bytes: Int64(image.data.count), message: message) {
            $0.at = image.time.seconds
        }
    }

    /// The time in seconds, exact to the millisecond.
    static func now() -> Double { Double(WallClock.now() / 1_000_000) / 1000 }
}

extension JSONEvent {
    static func destination(_ event: DestinationEvent) -> JSONEvent {
        JSONEvent("destination") {
            $0.destination = event.destination
            $0.label = event.label
            switch event.kind {
            case .phase(let phase): ($0.kind, $0.phase) = ("phase", phase.rawValue)
            case .link(let link): ($0.kind, $0.link) = ("link", link)
            case .playerLink(let link): ($0.kind, $0.link) = ("playerLink", link)
            case .state(let state): ($0.kind, $0.state) = ("state", state)
            case .warning(let text):
                ($0.kind, $0.message) = ("warning", text)
                $0.set(event.code)
            case .log(let line): ($0.kind, $0.level, $0.message) = ("log", line.level.rawValue, line.message)
            case .serviceInfo(let info): ($0.kind, $0.serviceInfo) = ("serviceInfo", info)
            case .memoryWarning(let resident, let limit):
                ($0.kind, $0.residentMemory, $0.memoryLimit) = ("memoryWarning", resident, limit)
            case .restarting(let ending): $0.set("restarting", ending)
            case .ended(let ending):
                $0.set("ended", ending)
                $0.set(event.status?.code)
            }
        }
    }

    private mutating func set(_ kind: String, _ ending: DestinationEnding) {
        self.kind = kind
        self.ending = ending.name
        message = ending.message
        if case .memoryLimitExceeded(let peak, let limit) = ending {
            (peakMemory, memoryLimit) = (peak, limit)
        }
    }
}

/// Writes JSON, one object per line, to standard output by default.
enum JSONEvents {
    /// Writes a value as one line. A value that JSON cannot represent, such as infinity, is omitted.
    static func write(_ value: some Encodable, on output: Terminal = .standardOutput) {
        guard let line = try? line(value) else { return }
        output.json(line)
    }

    static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        // JSON allows these unescaped, but a terminal may obey them.
        let controls: ClosedRange<UInt32> = 0x7f...0x9f
        guard text.unicodeScalars.contains(where: { controls.contains($0.value) }) else { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            if controls.contains(scalar.value) {
                line += "\\u00" + String(scalar.value, radix: 16)
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
    }
}
