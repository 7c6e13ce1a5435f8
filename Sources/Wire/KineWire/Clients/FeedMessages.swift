// Messages between a client and an engine about frames and samples. Those go through sockets and memory.
import KineRings

/// The frames that a client requests.
public struct FrameRequest: Codable, Sendable, Equatable {
    /// A group whose members include the client's app and the extension.
    public var group: String
    /// The extension's service; nil: all services of the group.
    public var service: String?
    /// The number of the one destination to reconnect with; nil: all running ones.
    public var destination: Int?

    public init(group: String, service: String? = nil, destination: Int? = nil) {
        self.group = group
        self.service = service
        self.destination = destination
    }
}

/// An engine's message to a client that has requested frames.
public enum FrameFeedMessage: Codable, Sendable, Equatable {
    /// Sent for each extension of that service when it has started. The descriptor is one end of a pair of packet
    /// sockets; see `FramePacket`.
    case open(service: String, destination: Int)
    /// The client gets no more frames, and must end its connections; one sentence.
    case ended(String)
}

/// An engine's message to a client about the samples that it requested. They go through memory whose descriptors come
/// with `start`, as for an extension.
public enum SampleFeedMessage: Codable, Sendable, Equatable {
    /// Sent once, before the first sample, unless `failed` is sent instead. Its descriptors are in the order of
    /// `ExtensionRequest.start`'s.
    case start(StreamDescription)
    /// The pause comes after all samples up to that position.
    case pause(after: StreamPosition)
    case resume(after: StreamPosition)
    /// No samples follow after that position: the take is over.
    case finish(after: StreamPosition)
    /// No samples follow; one sentence.
    case failed(String)
}
