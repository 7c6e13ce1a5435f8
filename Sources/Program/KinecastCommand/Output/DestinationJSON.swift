// A destination as `--json` prints it, in events, in `status` and in the last summary.
import KineWire

/// A destination's status, without nested objects; docs/json-events.md explains the keys.
struct DestinationLine: Encodable, Equatable {
    private enum Key: String, CodingKey {
        case destination, service, label, phase, ending, message, link, playerLink, state, problem, pid
        case residentMemory, peakMemory, memoryLimit, frames, audioSamples, bytes, queuedBytes, sentBytes, viewers
        case uptime, reconnects, bitrate, queueMilliseconds, roundTripMilliseconds, framesDropped
        case requestedBitrate, requestedFrameRate, framesSkipped, audioLost, restarts, confinement, removed
        case serviceInfo
    }

    let status: DestinationStatus

    init(_ status: DestinationStatus) { self.status = status }

    func encode(to encoder: any Encoder) throws {
        var line = encoder.container(keyedBy: Key.self)
        try line.encode(status.destination, forKey: .destination)
        try line.encode(status.service, forKey: .service)
        try line.encode(status.label, forKey: .label)
        try line.encode(status.phase, forKey: .phase)
        try line.encodeIfPresent(status.ending?.name, forKey: .ending)
        try line.encodeIfPresent(status.ending?.message, forKey: .message)
        try line.encodeIfPresent(status.link, forKey: .link)
        try line.encodeIfPresent(status.playerLink, forKey: .playerLink)
        try line.encodeIfPresent(status.state, forKey: .state)
        try line.encodeIfPresent(status.problem, forKey: .problem)
        try line.encodeIfPresent(status.pid, forKey: .pid)
        try line.encode(status.residentMemory, forKey: .residentMemory)
        try line.encode(status.peakMemory, forKey: .peakMemory)
        try line.encode(status.memoryLimit, forKey: .memoryLimit)
        try line.encode(status.statistics.frames, forKey: .frames)
        try line.encode(status.statistics.audioSamples, forKey: .audioSamples)
        try line.encode(status.statistics.bytes, forKey: .bytes)
        try line.encode(status.statistics.queuedBytes, forKey: .queuedBytes)
        try line.encode(status.statistics.sentBytes, forKey: .sentBytes)
        try line.encodeIfPresent(status.statistics.viewers, forKey: .viewers)
        let connection = status.statistics.connection
        try line.encodeIfPresent(connection?.uptime, forKey: .uptime)
        try line.encodeIfPresent(connection?.reconnects, forKey: .reconnects)
        try line.encodeIfPresent(connection?.bitrate, forKey: .bitrate)
        try line.encodeIfPresent(connection?.queueMilliseconds, forKey: .queueMilliseconds)
        try line.encodeIfPresent(connection?.roundTripMilliseconds, forKey: .roundTripMilliseconds)
        try line.encodeIfPresent(connection?.framesDropped, forKey: .framesDropped)
        try line.encodeIfPresent(status.encoding.averageBitrate, forKey: .requestedBitrate)
        try line.encodeIfPresent(status.encoding.maximumFrameRate, forKey: .requestedFrameRate)
        try line.encode(status.framesSkipped, forKey: .framesSkipped)
        try line.encode(status.audioLost, forKey: .audioLost)
        try line.encode(status.restarts, forKey: .restarts)
        try line.encodeIfPresent(status.serviceInfo, forKey: .serviceInfo)
        if status.isRemoved { try line.encode(true, forKey: .removed) }
        try line.encodeIfPresent(status.confinement?.map(\.rawValue).sorted(), forKey: .confinement)
    }
}

extension DestinationEnding {
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
            case .phase(let phase): ($0.kind, $0.phase) = ("phase", phase.rawValue)
            case .link(let link): ($0.kind, $0.link) = ("link", link)
            case .playerLink(let link): ($0.kind, $0.link) = ("playerLink", link)
            case .state(let state): ($0.kind, $0.state) = ("state", state)
            case .warning(let text): ($0.kind, $0.message) = ("warning", text)
            case .log(let line): ($0.kind, $0.level, $0.message) = ("log", line.level.rawValue, line.message)
            case .serviceInfo(let info): ($0.kind, $0.serviceInfo) = ("serviceInfo", info)
            case .memoryWarning(let resident, let limit):
                ($0.kind, $0.residentMemory, $0.memoryLimit) = ("memoryWarning", resident, limit)
            case .restarting(let ending): $0.set("restarting", ending)
            case .ended(let ending): $0.set("ended", ending)
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
