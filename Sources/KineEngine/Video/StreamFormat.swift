// The one format of a take's encoded video. File and extensions are told it once, and cannot follow a change.
import KineMedia

/// Used by one thread.
final class StreamFormat {
    private let ready: (VideoParameterSets) -> Void
    private var known: VideoParameterSets?

    /// `ready` gets the format once.
    init(ready: @escaping (VideoParameterSets) -> Void) { self.ready = ready }

    /// Whether samples with these parameter sets belong to the stream. The first that are known become its format.
    func includes(_ sets: VideoParameterSets) -> Bool {
        if known == nil {
            known = sets
            ready(sets)
        }
        return sets == known
    }
}
