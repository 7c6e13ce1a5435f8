// A client's request for the samples that extensions pass on to the processes of a group: KinecastExchange's `FrameReceiver`. They go
// from the extension to that process; the engine only connects the two.

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
