// Decides when the studio's server ends by itself. Pure: StudioLoop gives the time.
import KinePlatform

/// The server ends ten minutes after its last use, such as a page or a take.
struct IdleTimeout: PollSource {
    /// Nanoseconds without any use until the server ends.
    static let timeout: Int64 = 600_000_000_000

    /// The instant at which the server ends, unless it is used before; nil while it is used.
    private(set) var nextDeadline: Int64?

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC; the same below. The server starts unused.
    init(at now: Int64) { nextDeadline = now + Self.timeout }

    /// Call it after each change of the use. The loop may have slept for long before one, so the ten minutes begin with
    /// the change.
    mutating func update(isUsed: Bool, at now: Int64) {
        nextDeadline = isUsed ? nil : nextDeadline ?? now + Self.timeout
    }

    /// Whether the server has to end.
    func isOver(at now: Int64) -> Bool { nextDeadline.map { now >= $0 } ?? false }
}
