// Screens and windows of a Wayland desktop whose portal asks the person, who also chooses the monitor or the window.
import KineCapture
import KineControl
import KineDesktop
import KineMedia
import KinePlatform

struct PortalKind: SourceKind {
    private let request: SourceRequest

    init?(_ request: SourceRequest) {
        switch request.source {
        case .screen, .region, .drawnRegion: guard request.backend == .portal else { return nil }
        case .chosenWindow: break
        default: return nil
        }
        self.request = request
    }

    func open(
        _ video: TakeConfiguration.Video, _ cancellation: Cancellation
    ) throws(VideoSourceError) -> any VideoSourceOpening {
        var target = ScreenCastRequest.Target.monitor
        var region: PixelRect?
        switch request.source {
        case .region(let rect): region = rect
        case .drawnRegion: throw .notOnWayland(option: "--region draw")
        case .chosenWindow:
            guard request.hasWindowDialog else { throw .noWindowDialog }
            target = .window
        default: break
        }
        try video.checkForWayland()
        return try PortalOpening(
            ScreenCastOrder(
                ScreenCastRequest(target, showsCursor: video.showsCursor), application: request.application,
                asksAnew: request.asksAnew), video, region: region, warn: request.warn)
    }

    var annotation: [String: String] {
        let source =
            switch request.source {
            case .screen: "screen"
            case .chosenWindow: "window"
            default: "region"
            }
        return [SourceAnnotation.source: source]
    }
}

extension PortalKind {
    /// Nanoseconds for the desktop's answers.
    private static let patience: Int64 = 3_000_000_000

    static func check() -> DoctorCheck? {
        guard ScreenBackend.find(nil) == .portal else { return nil }
        let survey = DesktopSurvey.ask(.find(), until: MonotonicClock.now() + patience)
        let inventory = WaylandSession.compositor.flatMap { try? WaylandInventory(display: $0) }
        if let version = survey.screenCastVersion {
            return .passed(
                "display",
                "Wayland through the desktop's portal, version \(version), which asks what may be seen"
                    + Doctor.compositor(inventory))
        }
        let error: ScreenCastSession.Error = !survey.hasLibrary ? .noLibrary : survey.hasSession ? .noPortal : .noBus
        return .failed(
            "display", error.sentence, remedy: "log in to a session on X11, or use --virtual 1280x720 -- COMMAND")
    }
}

extension TakeConfiguration.Video {
    /// Throws where the take wants what no compositor gives.
    func checkForWayland() throws(VideoSourceError) {
        guard excludedWindows.isEmpty else { throw .noWindowsOnWayland(option: "--exclude") }
        let unavailable: [(isWanted: Bool, option: String)] = [
            (showsClicks, "--show-clicks"), (shownKeys != nil, "--show-keys"),
        ]
        if let first = unavailable.first(where: \.isWanted) { throw .notOnWayland(option: first.option) }
    }
}
