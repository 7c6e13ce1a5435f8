// Screens, regions and windows of an X server.
import KineCapture
import KineDesktop
import KineMedia
import KinePlatform
import KineTake
import KineX11

struct X11Kind: SourceKind {
    /// Nil: a region that the person draws.
    let target: X11ScreenSource.Target?
    private let wantedBackend: TakeConfiguration.Backend?
    private let warn: @Sendable (String) -> Void

    init?(_ request: SourceRequest) {
        switch request.source {
        case .screen, .region, .drawnRegion: guard request.backend == .x11 else { return nil }
        default: break
        }
        (wantedBackend, warn) = (request.wantedBackend, request.warn)
        switch request.source {
        case .screen(let monitor): target = .screen(monitor: monitor)
        case .region(let rect): target = .region(rect)
        case .drawnRegion: target = nil
        case .window(let id): target = .window(.id(id))
        case .focusedWindow: target = .window(.focused)
        case .windowTitled(let title): target = .window(.titled(title))
        case .application(let name, let monitor): target = .application(name, monitor: monitor)
        default: return nil
        }
    }

    func open(
        _ video: TakeConfiguration.Video, _ cancellation: Cancellation
    ) throws(VideoSourceError) -> any VideoSourceOpening {
        func open(_ target: X11ScreenSource.Target) throws(VideoSourceError) -> X11ScreenSource {
            let source = try X11ScreenSource(target, video, allowsXwayland: wantedBackend == .x11, cancellation)
            source.shortcoming.map(warn)
            return source
        }
        guard let target else {
            return try X11RegionOpening(allowsXwayland: wantedBackend == .x11, cancellation: cancellation) {
                (rect) throws(VideoSourceError) in
                try open(.region(rect))
            }
        }
        return ImmediateOpening { () throws(VideoSourceError) in
            do throws(VideoSourceError) {
                return try open(target)
            } catch {
                throw target.windowFeature.map { error.onWayland($0, wantedBackend) } ?? error
            }
        }
    }

    var annotation: [String: String] { target?.annotation ?? [SourceAnnotation.source: "region"] }

    static func monitors() -> [SourceList.Monitor] { X11Inventory.findMonitors() }

    static func survey(_ list: inout SourceList) {
        let isWayland = WaylandSession.compositor != nil
        do throws(VideoSourceError) {
            let display = try X11Inventory()
            // On Wayland, the X server has only the windows of X11 programs.
            if !isWayland {
                if let problem = display.screenProblem {
                    list.problems.append(problem.sentence)
                } else {
                    list.screenBackend = .x11
                    list.canShowBeneath = display.canShowBeneath
                }
                list.monitors = display.monitors
            }
            list.windows = display.windows.map { window in
                let application = SourceName.application(
                    window.application, entry: DesktopEntry.name(ofWindows: window.application))
                return SourceList.Window(
                    id: window.id, title: window.title, application: window.application, bounds: window.bounds,
                    processID: window.processID,
                    description: SourceName.window(title: window.title, application: application))
            }
        } catch {
            if !isWayland { list.problems.append(error.sentence) }
        }
    }

    static func check() -> DoctorCheck? {
        guard WaylandSession.compositor == nil else { return nil }
        do throws(VideoSourceError) {
            let display = try X11Inventory()
            if let problem = display.screenProblem { throw problem }
            let size = "\(display.screen.width)x\(display.screen.height)"
            var (problems, remedies): ([String], [String]) = ([], [])
            if let shortcoming = display.shortcoming {
                problems.append(shortcoming)
                remedies.append("use Xorg, Xvfb or TigerVNC")
            }
            if !display.hasSharedMemory {
                problems.append("Without shared memory, reading it costs several times as much.")
                remedies.append("run kinecast on the machine of the X server, with MIT-SHM enabled")
            }
            if problems.isEmpty { return .passed("display", "\(size), shared memory") }
            var check = DoctorCheck.passed("display", "\(size). \(problems.joined(separator: " "))")
            check.remedy = remedies.joined(separator: "; ")
            return check
        } catch {
            return .failed(
                "display", sentence: error.sentence,
                remedy: error == .noDisplay
                    ? "run inside a graphical session, or use --virtual 1280x720 -- COMMAND" : nil)
        }
    }
}

extension X11ScreenSource.Target {
    /// Nil: not a window.
    fileprivate var windowFeature: VideoSourceError.Feature? {
        switch self {
        case .window: .window
        case .application: .application
        case .screen, .region: nil
        }
    }

    /// For `SourceKind.annotation`.
    var annotation: [String: String] {
        switch self {
        case .screen(let monitor):
            var result = [SourceAnnotation.source: "screen"]
            result[SourceAnnotation.monitor] = monitor
            return result
        case .region: return [SourceAnnotation.source: "region"]
        case .application(let name, let monitor):
            var result = [SourceAnnotation.source: "application", SourceAnnotation.application: name]
            result[SourceAnnotation.monitor] = monitor
            return result
        case .window(let choice):
            var result = [SourceAnnotation.source: "window"]
            if let window = try? X11Inventory.window(choice) {
                if !window.title.isEmpty { result[SourceAnnotation.title] = window.title }
                if !window.application.isEmpty { result[SourceAnnotation.application] = window.application }
                if let pid = window.processID { result[SourceAnnotation.process] = "\(pid)" }
            }
            return result
        }
    }
}

extension VideoSourceError {
    /// A session on Wayland may have an X server, with the windows of X11 programs. If the window is not among them,
    /// that server's error message would mislead the person.
    func onWayland(_ feature: Feature, _ wantedBackend: TakeConfiguration.Backend?) -> VideoSourceError {
        guard wantedBackend != .x11 else { return self }
        guard kind == .noDisplay || kind == .noWindow, wantedBackend != nil || WaylandSession.compositor != nil
        else { return self }
        return .noWindowsOnWayland(feature)
    }

    /// The features that a take can ask for and some screens lack; for the middle of a sentence.
    enum Feature: String, Sendable, CaseIterable {
        case window = "recording a window"
        case application = "recording an application"
        case hiddenWindows = "hiding windows"
        case clicks = "showing clicks"
        case keys = "showing keys"
        case largerCursor = "a larger cursor"
    }

    /// No compositor offers the feature.
    static func notOnWayland(_ feature: Feature) -> Self {
        Self(
            "A session on Wayland does not give what \(feature.rawValue) needs; leave it out, or log in to a session on X11."
        )
    }

    /// The feature needs the list of windows, which no compositor gives its clients.
    static func noWindowsOnWayland(_ feature: Feature) -> Self {
        Self(
            .noWindowsOnWayland,
            "A session on Wayland does not give what \(feature.rawValue) needs, since it tells programs of no windows; record the "
                + "screen.")
    }
}

extension TakeConfiguration.Video {
    /// Throws if the configuration needs a feature that no compositor has.
    func checkForWayland() throws(VideoSourceError) {
        guard excludedWindows.isEmpty else { throw .noWindowsOnWayland(.hiddenWindows) }
        if showsClicks { throw .notOnWayland(.clicks) }
        if shownKeys != nil { throw .notOnWayland(.keys) }
    }
}

extension X11ScreenSource {
    /// Opens a target with the take's settings. `isPrivate`: the screen belongs to the take.
    convenience init(
        _ target: Target, _ video: TakeConfiguration.Video, isPrivate: Bool = false, allowsXwayland: Bool = false,
        _ cancellation: Cancellation
    ) throws(VideoSourceError) {
        try self.init(
            target: target, reportsPointer: video.showsCursor, isPrivate: isPrivate, reportsClicks: video.showsClicks,
            keys: video.shownKeys?.display, recordsInput: video.recordsInput,
            excluding: video.excludedWindows, how: video.excludeHow, allowsXwayland: allowsXwayland,
            cancellation: cancellation)
    }
}

// Shown keys: the focus from the desktop decides for KineCapture which keys may be shown.
extension TakeConfiguration.ShownKeys {
    var display: KeyDisplay {
        switch self {
        case .shortcuts: return KeyDisplay(.shortcuts)
        case .all:
            let addresses = BusAddresses.find()
            return KeyDisplay(.all) { AccessibleFocus(addresses) }
        }
    }
}

extension AccessibleFocus: FocusInspector {}
