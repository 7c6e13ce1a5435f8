// The ways to a recording while no window of the studio is open: the page names those that are there.
import KineConfiguration
import KineDesktop
import KinePlatform
import KineProgram
import KineTakes

/// The content of GET /api/ways. The desktop's menu is always one.
struct WaysBack: Encodable, Sendable, Equatable {
    /// Nanoseconds for the desktop to answer.
    private static let timeout: Int64 = 1_000_000_000

    /// A panel shows Kinecast's item.
    var hasTray: Bool
    /// The take's own notification has a button that ends it.
    var hasNotification: Bool
    /// The key that ends a recording, in the desktop's words; nil: none works now.
    var key: String?

    /// Asks the desktop; blocks until it has answered, for a second at most.
    static func find() async throws -> WaysBack {
        try await BlockingCall.run("studio-ways") { () throws(StudioProblem) in
            let survey = DesktopSurvey.ask(.find(), about: .waysBack, until: MonotonicClock.now() + timeout)
            let report = (try? TakeRegistry.standard().common).flatMap { ShortcutReport.current(in: $0) }
            return WaysBack(
                hasTray: survey.hasTray, hasNotification: survey.capabilities.hasActions,
                key: report?.keys[DesktopAction.record.rawValue]?.trigger)
        }
    }
}
