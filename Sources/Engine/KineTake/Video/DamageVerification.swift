// Some programs and compositors paint without a report from the X server. So strips of the screen are read from time to
// time; after an unreported change, everything is read for a while.
import KineMedia

/// Decides which parts to read besides the reported damage. Pure: the caller supplies the time and its findings.
struct DamageVerification: Sendable {
    enum Look: Equatable, Sendable {
        /// These rows of tiles, although nothing was reported there.
        case strips([Int])
        /// Everything: damage has been missing lately.
        case all
    }

    /// Nanoseconds between two looks.
    static let interval: Int64 = 4_000_000_000
    /// Nanoseconds for which everything is read after an unreported change.
    static let fullReadInterval: Int64 = 10_000_000_000
    /// Rows of tiles in one look. With 68 rows at 1080p the whole screen is read every 36 seconds, a window more often.
    static let rowsPerLook = 8

    private let rows: Int
    private var next = 0
    private var nextLook: Int64
    private var readsAllUntil: Int64 = .min

    init(rows: Int, now: Int64) {
        self.rows = max(1, rows)
        nextLook = now + Self.interval
    }

    /// The instant at which `look` must be called again, even if nothing is reported.
    var deadline: Int64 { nextLook }
    func readsAll(at now: Int64) -> Bool { now < readsAllUntil }

    /// The parts to read at `now` besides the reported damage; nil: none.
    mutating func look(at now: Int64) -> Look? {
        if readsAll(at: now) { return .all }
        guard now >= nextLook else { return nil }
        nextLook = now + Self.interval
        // Neighbours: together they are one rectangle, and the X server answers once. Each answer wakes this thread.
        let count = min(Self.rowsPerLook, rows)
        let strips = (0..<count).map { (next + $0) % rows }
        next = (next + count) % rows
        return .strips(strips)
    }

    /// A look at `now` found a change that was not reported.
    mutating func foundUnreported(at now: Int64) { readsAllUntil = now + Self.fullReadInterval }
}
