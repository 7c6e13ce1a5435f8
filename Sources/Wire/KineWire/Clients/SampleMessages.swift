// What an engine tells a client about the samples that it asked for. They go through memory whose descriptors come with `start`, as an
// extension's do.
import KineRings

/// What an engine tells a client about the samples that it asked for.
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
