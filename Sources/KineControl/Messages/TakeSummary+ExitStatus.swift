// The exit status of a take by its destinations.
import KinePlatform

extension TakeSummary {
    /// The command's exit status for a take that ended as it should: 0, or 75 if a destination ended for good without having
    /// finished. One that a client removed does not count.
    public var exitStatus: Int32 {
        destinations.contains { !$0.isRemoved && $0.ending != nil && $0.ending != .finished }
            ? ExitStatus.destinationFailed : 0
    }
}
