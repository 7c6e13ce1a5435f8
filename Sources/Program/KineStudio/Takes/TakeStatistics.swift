// A take's statistics for its page, once a second while a page shows them.
import KineWire

/// Bytes and counts since the take began. An absent key: not available.
struct TakeStatistics: Encodable, Equatable, Sendable {
    struct Destination: Encodable, Equatable, Sendable {
        let number: Int
        /// Bytes of samples that its process has taken.
        let bytes: Int
        /// Bits a second that arrive at the other end.
        let bitrate: Int?
        let viewers: Int?
        /// Milliseconds of samples that wait to be sent.
        let waiting: Int?
        /// Milliseconds to the other end and back.
        let roundTrip: Double?
        /// Connections after the first.
        let reconnects: Int?
        /// How often its process was started again.
        let restarts: Int
        /// Bytes of memory of its process, and the most it may use.
        let memory: Int
        let memoryLimit: Int
        /// Frames that it did not get or did not send.
        let skipped: Int
    }

    let take: String
    /// Seconds, without pauses.
    let duration: Double
    /// Bytes of the file.
    let bytes: Int64
    let drawn: Int
    let unchanged: Int
    let dropped: Int
    let destinations: [Destination]

    init(_ take: String, _ progress: TakeProgress) {
        self.take = take
        (duration, bytes) = (progress.duration.seconds, progress.bytes)
        (drawn, unchanged, dropped) = (progress.framesDrawn, progress.framesUnchanged, progress.framesDropped)
        destinations = progress.destinations.filter { !$0.isRemoved && $0.ending == nil }.map { Destination($0) }
    }
}

extension TakeStatistics.Destination {
    init(_ status: DestinationStatus) {
        let connection = status.statistics.connection
        self.init(
            number: status.destination, bytes: status.statistics.bytes, bitrate: connection?.bitrate,
            viewers: status.statistics.viewers, waiting: connection?.queueMilliseconds,
            roundTrip: connection?.roundTripMilliseconds, reconnects: connection?.reconnects, restarts: status.restarts,
            memory: status.residentMemory, memoryLimit: status.memoryLimit,
            skipped: status.framesSkipped + (connection?.framesDropped ?? 0))
    }
}
