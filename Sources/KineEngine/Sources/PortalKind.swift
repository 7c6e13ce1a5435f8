// Screens of a Wayland desktop whose portal asks the person, who also chooses the monitor.
import KineCapture
import KineControl
import KineDesktop
import KinePlatform

struct PortalKind: SourceKind {
    private let source: TakeConfiguration.Source
    private let order: (application: String, asksAnew: Bool)

    init?(_ request: SourceRequest) {
        switch request.source {
        case .screen, .region, .drawnRegion: source = request.source
        default: return nil
        }
        guard request.backend == .portal else { return nil }
        order = (request.application, request.asksAnew)
    }

    func open(
        _ video: TakeConfiguration.Video, _ cancellation: Cancellation
    ) throws(VideoSourceError) -> any VideoSourceOpening {
        guard case .screen = source else { throw .notOnWayland(option: "--region") }
        try video.checkForWayland()
        return try PortalOpening(
            ScreenCastOrder(
                ScreenCastRequest(.monitor, showsCursor: video.showsCursor), application: order.application,
                asksAnew: order.asksAnew), video)
    }

    var annotation: [String: String] {
        if case .screen = source { [SourceAnnotation.source: "screen"] } else { [SourceAnnotation.source: "region"] }
    }
}

extension PortalKind {
    /// Nanoseconds for the desktop's answers.
    private static let patience: Int64 = 3_000_000_000

    static func check() -> DoctorCheck? {
        guard ScreenBackend.find(nil) == .portal else { return nil }
        let survey = DesktopSurvey.ask(.find(), until: MonotonicClock.now() + patience)
        if let version = survey.screenCastVersion {
            return .passed(
                "display", "Wayland through the desktop's portal, version \(version), which asks what may be seen")
        }
        let error: ScreenCastSession.Error = !survey.hasLibrary ? .noLibrary : survey.hasSession ? .noPortal : .noBus
        return .failed(
            "display", error.sentence, remedy: "log in to a session on X11, or use --virtual 1280x720 -- COMMAND")
    }
}

extension TakeConfiguration.Video {
    /// Throws where the take wants what no compositor gives.
    func checkForWayland() throws(VideoSourceError) {
        let unavailable: [(isWanted: Bool, option: String)] = [
            (!excludedWindows.isEmpty, "--exclude"), (showsClicks, "--show-clicks"), (shownKeys != nil, "--show-keys"),
        ]
        if let first = unavailable.first(where: \.isWanted) { throw .notOnWayland(option: first.option) }
    }
}
