// The order in which a reader handles samples and the requests between them. Pure.
import KineMedia

/// A position in the streams to a receiver.
public struct StreamPosition: Codable, Sendable, Equatable {
    /// Bytes written to the sample ring since its beginning.
    public var samples: UInt64
    /// The sequence number of the last uncompressed frame offered; 0: none yet.
    public var frames: UInt64

    public init(samples: UInt64 = 0, frames: UInt64 = 0) {
        self.samples = samples
        self.frames = frames
    }
}

/// Decides between the oldest sample in the ring, the frame in the mailbox and the next request.
public struct SampleOrder<Request> {
    /// The oldest samples of the streams.
    public struct Front {
        /// Bytes of the ring that have been read.
        public var readPosition: UInt64 = 0
        /// The time of the oldest sample in the ring, if there is one.
        public var record: MediaTime?
        /// The uncompressed frame in the mailbox.
        public var frame: (sequence: UInt64, time: MediaTime)?

        public init(
            readPosition: UInt64 = 0, record: MediaTime? = nil, frame: (sequence: UInt64, time: MediaTime)? = nil
        ) {
            self.readPosition = readPosition
            self.record = record
            self.frame = frame
        }
    }

    public enum Step {
        /// There is nothing to handle yet.
        case none
        case record
        case frame
        case request(Request)
    }

    /// The requests in order, each with the position after which it is carried out.
    private var requests: [(request: Request, after: StreamPosition)] = []

    public init() {}

    public mutating func add(_ request: Request, after position: StreamPosition) {
        requests.append((request, position))
    }

    /// The next step. Add every received request before reading `front`, so that it is carried out exactly after the
    /// samples sent before it. Of two samples, the older comes first.
    public mutating func next(_ front: Front) -> Step {
        var record = front.record
        var frame = front.frame
        if let (request, position) = requests.first {
            if front.readPosition >= position.samples { record = nil }
            if let sequence = frame?.sequence, sequence > position.frames { frame = nil }
            if record == nil, frame == nil {
                requests.removeFirst()
                return .request(request)
            }
        }
        return switch (record, frame) {
        case (nil, nil): .none
        case (_?, nil): .record
        case (nil, _?): .frame
        case (let record?, let frame?): record <= frame.time ? .record : .frame
        }
    }
}

extension StreamReceiver {
    /// The oldest samples, and the record itself.
    public func front<Request>(
        _ type: Request.Type = Request.self
    ) throws(Error) -> (front: SampleOrder<Request>.Front, record: Record?) {
        let record = try nextRecord()
        let frame = try peekFrame().map { (sequence: $0.sequence, time: $0.presentationTime) }
        return (
            SampleOrder.Front(readPosition: readPosition, record: record?.presentationTime, frame: frame), record
        )
    }
}
