// Screens and windows of a Wayland desktop, by its portal: the person permits and chooses the monitor or window.
import KineCapture
import KineDesktop
import KineMedia
import KinePipeWire
import KinePlatform
import KineTake
import KineWayland

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
        var monitor: ScreenCastOrder.Monitor?
        switch request.source {
        case .screen(let name?): monitor = try Self.monitor(named: name)
        case .region(let rect): region = rect
        case .chosenWindow:
            guard request.hasWindowDialog else { throw .noWindowDialog }
            target = .window
        default: break
        }
        try video.checkForWayland()
        let order = ScreenCastOrder(
            ScreenCastRequest(target, showsCursor: video.showsCursor), application: request.application,
            asksAnew: request.asksAnew, monitor: monitor)
        let open = { () throws(VideoSourceError) -> any VideoSourceOpening in
            let opening = try PortalOpening(order, video, warn: request.warn)
            // A window's frames show nothing in front of it.
            return target == .monitor ? try SettledOpening(opening, region: region) : opening
        }
        guard case .drawnRegion = request.source else { return try open() }
        guard let display = WaylandSession.compositor else { throw .noRegionCompositor }
        return try PictureRegionOpening(display: display, open: open)
    }

    /// Throws if the desktop has no such monitor. Without an answer of the compositor, the monitor may exist.
    private static func monitor(named name: String) throws(VideoSourceError) -> ScreenCastOrder.Monitor {
        guard let display = WaylandSession.compositor, let inventory = try? WaylandInventory(display: display) else {
            return ScreenCastOrder.Monitor(name: name, position: nil)
        }
        let output = try inventory.output(named: name)
        return ScreenCastOrder.Monitor(
            name: output.name,
            position: .init(x: Int32(clamping: output.bounds.x), y: Int32(clamping: output.bounds.y)))
    }

    var annotation: [String: String] {
        switch request.source {
        case .screen(let monitor?): [SourceAnnotation.source: "screen", SourceAnnotation.monitor: monitor]
        case .screen(nil): [SourceAnnotation.source: "screen"]
        case .chosenWindow: [SourceAnnotation.source: "window"]
        default: [SourceAnnotation.source: "region"]
        }
    }

    static func monitors() -> [SourceList.Monitor] { WaylandKind.monitors() }

    /// Nanoseconds for the desktop's answers.
    private static let timeout: Int64 = 3_000_000_000

    /// Lists its sources after those of kinds without a portal.
    static func survey(_ list: inout SourceList) {
        guard WaylandSession.compositor != nil else { return }
        let survey = DesktopSurvey.ask(.find(), about: .screenCasts, until: MonotonicClock.now() + timeout)
        let hasLibrary = PipeWireInventory.hasLibrary
        if hasLibrary { list.dialogs = survey.screenCastTargets.map { $0 == .monitor ? .monitor : .window } }
        guard list.screenBackend == nil else { return }
        if list.dialogs.contains(.monitor) { return list.screenBackend = .portal }
        list.problems.append(
            hasLibrary
                ? survey.screenCastError.sentence
                : VideoSourceError.noCastLibrary(package: PipeWireInventory.libraryPackage).sentence)
    }

    static func check() -> DoctorCheck? {
        guard ScreenBackend.find(nil) == .portal else { return nil }
        let survey = DesktopSurvey.ask(.find(), until: MonotonicClock.now() + timeout)
        let inventory = WaylandSession.compositor.flatMap { try? WaylandInventory(display: $0) }
        if let version = survey.screenCastVersion {
            return .passed(
                "display",
                "Wayland through the desktop's portal, version \(version), which asks what may be seen"
                    + Doctor.compositor(inventory))
        }
        return .failed(
            "display", sentence: survey.screenCastError.sentence,
            remedy: "see the line of the portal below, or use --virtual 1280x720 -- COMMAND")
    }
}

extension DesktopSurvey {
    /// Why no monitor can be cast, if none can.
    fileprivate var screenCastError: ScreenCastSession.Error {
        guard hasLibrary else { return .noLibrary }
        guard hasSession else { return .noBus }
        return screenCastVersion == nil ? .noPortal : .notOffered(.monitor)
    }
}

extension VideoSourceError {
    /// The person is to choose a window, and no desktop's portal is asked that could show them a dialog.
    static let noWindowDialog = Self(
        .noWindowDialog,
        "A window can be chosen only on a Wayland desktop that shows its own dialog; log in to one.")
    /// A region is to be drawn in what the portal gives, and no compositor is named that could show a window.
    static let noRegionCompositor = Self(
        .noRegion,
        "A region is drawn on what the desktop's portal gives only in a session on Wayland, where WAYLAND_DISPLAY is set; leave out "
            + "--backend portal.")
}
