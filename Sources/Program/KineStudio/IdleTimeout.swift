// Decides when the studio's server ends by itself. Pure: StudioLoop gives the time.
import KinePlatform

/// The server ends ten minutes after its last page, its last take and its last `kinecast record`.
struct IdleTimeout: PollSource {
    /// The number of each thing that keeps the server running.
    struct Use: Equatable {
        /// Connected pages.
        var pages = 0
        /// Running takes of this user.
        var takes = 0
        /// Running `kinecast record` that pages have asked for. Its take may not be there yet.
        var recorders = 0

        var isNone: Bool { self == Use() }
    }

    /// Nanoseconds without any use until the server ends.
    static let timeout: Int64 = 600_000_000_000

    /// The instant at which the server ends, unless it is used before; nil while it is used.
    private(set) var nextDeadline: Int64?

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC; the same below. The server starts unused.
    init(at now: Int64) { nextDeadline = now + Self.timeout }

    /// Call it after each change of the use. The loop may have slept for long before one, so the ten minutes begin with
    /// the change.
    mutating func update(_ use: Use, at now: Int64) {
        guard use.isNone else {
            nextDeadline = nil
            return
        }
        nextDeadline = nextDeadline ?? now + Self.timeout
    }

    /// Whether the server has to end.
    func isOver(at now: Int64) -> Bool { nextDeadline.map { now >= $0 } ?? false }
}
