// What every publisher does and reports, over whatever protocol it reaches its server.
import KineMedia

/// A stream on its way to a server. All methods may be called from any thread; samples must be in order.
public protocol Publisher: Sendable {
    associatedtype Failure: ConnectionFailure

    /// Connects. Returns when the server has accepted the stream, or when the caller should not wait any longer: attempts
    /// then continue in the background. Throws a final failure.
    func start() async throws(Failure)

    /// Copies a sample. Never waits for the network.
    /// - Parameters:
    ///   - presentationTime: on the take's timeline; negative for the encoder's priming.
    ///   - bytes: as in `EncodedSample.data`.
    ///   - format: of a keyframe and the frames after it; nil: as before.
    func publish(
        _ type: SampleType, presentationTime: MediaTime, isKeyframe: Bool, bytes: UnsafeRawBufferPointer,
        format: VideoFormat?)

    /// No sample comes before `resume()`. Presentation times then continue as if there had been no pause.
    func pause()
    func resume()

    /// Sends the waiting samples, says goodbye and closes. Returns when that is done: the reason if the stream was never
    /// live.
    func finish() async -> Failure?
}

// A server that is content without samples need not know of a pause.
extension Publisher {
    public func pause() {}
    public func resume() {}
}

/// A publisher's report. Reports come in order, on one thread.
public enum PublisherEvent: Sendable {
    /// Sent twice a second while the stream is live, and when the state changes.
    case status(PublisherStatus)
    /// An address at which the stream can be watched.
    case link(String)
    /// A connection has ended; the next attempt follows after `retryAfter` seconds.
    case interrupted(any ConnectionFailure, retryAfter: Double)
    /// The stream ended without a call of `finish`. The last event.
    case failed(any ConnectionFailure)
    /// The target to encode with from now on; nil: the user's choice.
    case target(BitrateController.Target?)
    /// Sent at most twice a second.
    case keyframeNeeded
}

/// A published stream at one moment.
public struct PublisherStatus: Sendable, Equatable {
    /// Named like the phases of a destination.
    public enum State: String, Sendable {
        /// No server has shown yet that it takes the stream, in the first attempt or a later one.
        case starting
        /// The server has shown that it takes the stream.
        case live
        /// The stream was live, and its connection is lost; another attempt follows.
        case reconnecting
        case finished
        case failed
    }

    public var state = State.starting
    /// The server's name for itself; nil if it gives none, and while no server has accepted the stream.
    public var server: String?
    /// Seconds for which the current connection has been live; 0 while none is.
    public var uptime = 0.0
    /// Connections after the first that became live.
    public var reconnects = 0
    /// Bytes of samples passed to the connections, including headers.
    public var sentBytes = 0
    /// Bits a second that the server receives.
    public var bitrate = 0
    /// Milliseconds until all waiting data has been sent.
    public var queueMilliseconds = 0
    /// In milliseconds; nil if unknown.
    public var roundTrip: Double?
    public var droppedFrames = 0

    public init() {}
}
