// A destination as `--json` prints it, in events, in `status` and in the last summary.
import KineControl

/// The keys of a destination. Those without a value are left out.
struct DestinationLine: Encodable, Equatable {
    var destination: Int
    var service: String
    var label: String
    var phase: String
    var link: String?
    var playerLink: String?
    var state: String?
    var problem: String?
    var pid: Int32?
    /// Bytes, as are the two below.
    var residentMemory: Int64
    var peakMemory: Int64
    var memoryLimit: Int64
    var frames: Int64
    var audioSamples: Int64
    var bytes: Int64
    var queuedBytes: Int64
    var sentBytes: Int64
    var viewers: Int?
    /// Seconds since its connection was made, and how often it was made again. This and the next five are its own report.
    var uptime: Double?
    var reconnects: Int?
    /// Bits a second that arrive.
    var bitrate: Int?
    var queueMilliseconds: Int?
    var roundTripMilliseconds: Double?
    var framesDropped: Int?
    /// Bits and frames a second that it asks of the encoder; nil: as chosen.
    var requestedBitrate: Int?
    var requestedFrameRate: Double?
    var framesSkipped: Int64
    /// Seconds.
    var audioLost: Double
    var restarts: Int
    /// The layers of confinement that hold for its process.
    var confinement: [String]?
    var ending: String?
    /// More about the ending, where there is more.
    var message: String?

    init(_ status: DestinationStatus) {
        destination = status.destination
        service = status.service
        label = status.label
        phase = status.phase.rawValue
        link = status.link
        playerLink = status.playerLink
        state = status.state
        problem = status.problem
        pid = status.pid
        residentMemory = status.residentMemory
        peakMemory = status.peakMemory
        memoryLimit = status.memoryLimit
        frames = status.statistics.frames
        audioSamples = status.statistics.audioSamples
        bytes = status.statistics.bytes
        queuedBytes = status.statistics.queuedBytes
        sentBytes = status.statistics.sentBytes
        viewers = status.statistics.viewers
        let connection = status.statistics.connection
        uptime = connection?.uptime
        reconnects = connection?.reconnects
        bitrate = connection?.bitrate
        queueMilliseconds = connection?.queueMilliseconds
        roundTripMilliseconds = connection?.roundTripMilliseconds
        framesDropped = connection?.framesDropped
        requestedBitrate = status.encoding.averageBitrate
        requestedFrameRate = status.encoding.maximumFrameRate
        framesSkipped = status.framesSkipped
        audioLost = status.audioLost
        restarts = status.restarts
        confinement = status.confinement.map { $0.map(\.rawValue).sorted() }
        ending = status.ending?.name
        message = status.ending?.message
    }
}

extension DestinationEnding {
    /// Its name in JSON.
    var name: String {
        switch self {
        case .finished: "finished"
        case .failed: "failed"
        case .crashed: "crashed"
        case .memoryLimitExceeded: "memoryLimitExceeded"
        case .stalled: "stalled"
        }
    }

    var message: String? {
        switch self {
        case .finished, .memoryLimitExceeded: nil
        case .failed(let text), .crashed(let text), .stalled(let text): text
        }
    }
}

extension JSONEvent {
    static func destination(_ event: DestinationEvent) -> JSONEvent {
        JSONEvent("destination") {
            $0.destination = event.destination
            $0.label = event.label
            switch event.kind {
            case .phase(let phase): $0.set("phase", phase: phase.rawValue)
            case .link(let link): $0.set("link", link: link)
            case .playerLink(let link): $0.set("playerLink", link: link)
            case .state(let state): $0.set("state", state: state)
            case .warning(let text): $0.set("warning", message: text)
            case .memoryWarning(let resident, let limit):
                $0.set("memoryWarning")
                $0.residentMemory = resident
                $0.memoryLimit = limit
            case .restarting(let ending): $0.set("restarting", ending)
            case .ended(let ending): $0.set("ended", ending)
            }
        }
    }

    private mutating func set(
        _ kind: String, phase: String? = nil, link: String? = nil, state: String? = nil, message: String? = nil
    ) {
        self.kind = kind
        self.phase = phase
        self.link = link
        self.state = state
        self.message = message
    }

    private mutating func set(_ kind: String, _ ending: DestinationEnding) {
        self.kind = kind
        self.ending = ending.name
        message = ending.message
        if case .memoryLimitExceeded(let peak, let limit) = ending {
            peakMemory = peak
            memoryLimit = limit
        }
    }
}
