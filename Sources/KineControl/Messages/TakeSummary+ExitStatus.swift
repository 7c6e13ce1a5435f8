// What the destinations make of a take.
import KinePlatform

extension TakeSummary {
    /// What the command's exit status is for a take that ended as it should: 0, or 75 where a destination ended for good
    /// in another way than finished.
    public var exitStatus: Int32 {
        destinations.contains { $0.ending != nil && $0.ending != .finished } ? ExitStatus.destinationFailed : 0
    }
}
