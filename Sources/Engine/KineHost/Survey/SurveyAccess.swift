// Whether the survey may show anything: a page has asked, and the screen is not locked.
import KineDesktop
import KineX11

/// Decides what the survey may read. Pure; `SurveyLockWatch` reports the lock. Instants are nanoseconds of
/// CLOCK_MONOTONIC.
struct SurveyAccess {
    enum Action: Equatable {
        case announce(isLocked: Bool)
        case openDevices
        /// The lock may hide what windows show, and the person may have left.
        case closeAll
    }

    private enum Lock: Equatable {
        /// The desktop has not said yet. Without an answer the screen counts as unlocked from `deadline` on.
        case unknown(deadline: Int64)
        case locked
        case unlocked
    }

    /// Nanoseconds for the desktop to say whether the screen is locked.
    private static let lockTimeout: Int64 = 2_000_000_000

    private var isWanted = false
    private var lock = Lock.unknown(deadline: .max)

    /// Whether sources may be read.
    var isGranted: Bool { isWanted && lock == .unlocked }

    /// Whether devices may be open: until a lock is known they may.
    var allowsDevices: Bool { lock != .locked }

    /// The latest instant to call `handleTimers`, if any.
    var nextDeadline: Int64? {
        if case .unknown(let deadline) = lock { deadline } else { nil }
    }

    /// A page has asked.
    mutating func request() { isWanted = true }

    /// The lock is watched from now on. `isReported`: a desktop will say whether the screen is locked.
    mutating func watchBegan(isReported: Bool, at now: Int64) {
        lock = isReported ? .unknown(deadline: now + Self.lockTimeout) : .unlocked
    }

    mutating func handleTimers(at now: Int64) {
        if case .unknown(let deadline) = lock, now >= deadline { lock = .unlocked }
    }

    /// Handles a report of the lock. Returns what to do, in order.
    mutating func lockReported(_ isLocked: Bool) -> [Action] {
        let (before, after) = (lock, isLocked ? Lock.locked : .unlocked)
        guard after != before else { return [] }
        lock = after
        if isLocked { return [.announce(isLocked: true), .closeAll] }
        // Before the first report no lock was announced, so its end is not announced either.
        return (before == .locked ? [.announce(isLocked: false)] : []) + [.openDevices]
    }
}

/// Watches the lock of the screen: the desktop's services, and the X server for lockers that no service knows.
struct SurveyLockWatch {
    private let desktop: Desktop?
    private let reports: LockReports
    private var x11: X11LockWatch?

    /// Connects with the desktop. `report` is called on any thread, once `start` was called.
    init(report: @escaping @Sendable (_ isLocked: Bool) -> Void) {
        let reports = LockReports(report)
        self.reports = reports
        desktop = Desktop(.find()) { event in
            if case .screenLocked(let isLocked) = event { reports.report(isLocked, by: .desktop) }
        }
    }

    /// Begins to watch. False: there is no desktop that will report whether the screen is locked.
    mutating func start() -> Bool {
        desktop?.watchLock()
        x11 = X11LockWatch { [reports] in reports.report($0, by: .x11) }
        return desktop != nil
    }
}
