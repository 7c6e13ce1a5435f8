// What a client and an engine tell each other about frames and samples, which go over other ways: sockets to extensions, and memory.
import KineRings

/// The frames that a client wants.
public struct FrameRequest: Codable, Sendable, Equatable {
    /// A group that the client's app and the extension are members of.
    public var group: String
    /// The extension's service; nil: each of the group's.
    public var service: String?
    /// The number of the one destination to connect with again; nil: with each that runs.
    public var destination: Int?

    public init(group: String, service: String? = nil, destination: Int? = nil) {
        self.group = group
        self.service = service
        self.destination = destination
    }
}

/// What an engine tells a client that wants frames.
public enum FrameFeedMessage: Codable, Sendable, Equatable {
    /// For each extension, as soon as it has started. One of that service passes frames on. The descriptor is one end
    /// of a pair of packet sockets: see `FramePacket`.
    case open(service: String, destination: Int)
    /// The client gets none any more, and has to end what it has; one sentence.
    case ended(String)
}

/// What an engine tells a client about the samples that it asked for.
///
/// What an engine tells a client about the samples that it asked for. They go through memory whose descriptors come with `start`, as an
/// extension's do.
public enum SampleFeedMessage: Codable, Sendable, Equatable {
    /// Once, before the first sample, unless `failed` comes instead. Its descriptors are in the order of
    /// `ExtensionRequest.start`'s.
    case start(StreamDescription)
    /// After everything up to that position.
    case pause(after: StreamPosition)
    case resume(after: StreamPosition)
    /// After everything up to that position there is nothing more: the take is over.
    case finish(after: StreamPosition)
    /// There are none, or no more; one sentence.
    case failed(String)
}
