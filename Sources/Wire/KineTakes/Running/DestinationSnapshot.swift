// A destination as `--json` prints it in events, in `status` and in the last summary, and as the studio's pages get it.
import KineWire

/// A destination's status, without nested objects; docs/json-events.md explains the keys.
package struct DestinationSnapshot: Encodable, Equatable, Sendable {
    private enum Key: String, CodingKey {
        case destination, service, label, phase, ending, message, link, reach, playerLink, state, problem, pid
        case residentMemory, peakMemory, memoryLimit, frames, audioSamples, bytes, queuedBytes, sentBytes, viewers
        case uptime, reconnects, bitrate, queueMilliseconds, roundTripMilliseconds, framesDropped
        case requestedBitrate, requestedFrameRate, framesSkipped, audioLost, restarts, confinement, removed
        case serviceInfo, code, values
    }

    private var status: DestinationStatus
    /// False: the keys that change all the time are omitted.
    private let hasCounts: Bool

    package init(_ status: DestinationStatus, hasCounts: Bool = true) {
        (self.status, self.hasCounts) = (status, hasCounts)
        guard !hasCounts else { return }
        // Two without counts are equal if nothing else has changed.
        (self.status.statistics, self.status.secondsSinceHeartbeat) = (ExtensionStatistics(), nil)
        (self.status.residentMemory, self.status.peakMemory) = (0, 0)
        (self.status.framesSkipped, self.status.audioLost) = (0, 0)
    }

    /// Why it is not live, in words.
    private var problem: String? {
        guard let ending = status.ending else { return status.problem }
        return ending == .finished ? nil : DestinationSentences.words(ending)
    }

    package func encode(to encoder: any Encoder) throws {
        var line = encoder.container(keyedBy: Key.self)
        try line.encode(status.destination, forKey: .destination)
        try line.encode(status.service, forKey: .service)
        try line.encode(status.label, forKey: .label)
        try line.encode(status.phase, forKey: .phase)
        try line.encodeIfPresent(status.ending?.name, forKey: .ending)
        try line.encodeIfPresent(status.ending?.message, forKey: .message)
        try line.encodeIfPresent(status.link, forKey: .link)
        try line.encodeIfPresent(status.reach, forKey: .reach)
        try line.encodeIfPresent(status.playerLink, forKey: .playerLink)
        try line.encodeIfPresent(status.state, forKey: .state)
        try line.encodeIfPresent(problem, forKey: .problem)
        try line.encodeIfPresent(status.code?.name, forKey: .code)
        try line.encodeIfPresent(status.code?.givenValues, forKey: .values)
        try line.encodeIfPresent(status.pid, forKey: .pid)
        try line.encode(status.memoryLimit, forKey: .memoryLimit)
        try line.encodeIfPresent(status.encoding.averageBitrate, forKey: .requestedBitrate)
        try line.encodeIfPresent(status.encoding.maximumFrameRate, forKey: .requestedFrameRate)
        try line.encode(status.restarts, forKey: .restarts)
        try line.encodeIfPresent(status.serviceInfo, forKey: .serviceInfo)
        if status.isRemoved { try line.encode(true, forKey: .removed) }
        try line.encodeIfPresent(status.confinement?.map(\.rawValue).sorted(), forKey: .confinement)
        if hasCounts { try encodeCounts(to: &line) }
    }

    private func encodeCounts(to line: inout KeyedEncodingContainer<Key>) throws {
        try line.encode(status.residentMemory, forKey: .residentMemory)
        try line.encode(status.peakMemory, forKey: .peakMemory)
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
        try line.encode(status.framesSkipped, forKey: .framesSkipped)
        try line.encode(status.audioLost, forKey: .audioLost)
    }
}
