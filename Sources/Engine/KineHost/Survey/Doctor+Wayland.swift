// Checks for sessions on Wayland: the desktop's portal, PipeWire, and drawn regions.
import KineCapture
import KineDesktop
import KineMedia
import KinePipeWire
import KinePlatform
import KineText
import KineWayland

extension Doctor {
    /// Nanoseconds for the desktop's answers.
    private static let timeout: Int64 = 3_000_000_000

    /// No checks on X11.
    static func wayland() -> [DoctorCheck] {
        guard WaylandSession.compositor != nil else { return [] }
        let isCopied = ScreenBackend.find(nil) != .portal
        let survey = DesktopSurvey.ask(.find(), until: MonotonicClock.now() + timeout)
        let desktop = ProcessEnvironment.value("XDG_CURRENT_DESKTOP") ?? ""
        let checks = [
            portal(survey, desktop: desktop, isNeeded: !isCopied), pipeWire(.find(), isNeeded: !isCopied),
        ]
        guard isCopied else { return checks + [region(inPictureOf: survey)].compactMap(\.self) }
        return checks + [region(hasProgram: ExecutableSearch.find("slurp") != nil)]
    }

    /// - Parameters:
    ///   - desktop: XDG_CURRENT_DESKTOP.
    ///   - isNeeded: the screen needs the portal. Otherwise only windows need it.
    static func portal(_ survey: DesktopSurvey, desktop: String, isNeeded: Bool) -> DoctorCheck {
        guard survey.hasLibrary else {
            return lacking(
                "portal", "libsystemd0, which talks with it, is not installed", isNeeded, "install libsystemd0")
        }
        guard survey.hasSession else {
            return lacking(
                "portal", "there is no session bus on which it could be asked", isNeeded,
                "install dbus-user-session, and log in again")
        }
        let packages = "xdg-desktop-portal and xdg-desktop-portal-\(package(of: desktop))"
        guard let version = survey.screenCastVersion else {
            let present =
                survey.portalBackends.isEmpty
                ? "" : ", although there is \(survey.portalBackends.joined(separator: ", ").printable(limit: 200))"
            return lacking(
                "portal", "nothing on this desktop shares its screen\(present)", isNeeded,
                "install \(packages), and log in again")
        }
        guard !survey.screenCastTargets.isEmpty else {
            return lacking(
                "portal", "version \(version) is there, but no part of this desktop's that shares its screen", isNeeded,
                "install xdg-desktop-portal-\(package(of: desktop)), and log in again")
        }
        let targets = survey.screenCastTargets.map { $0 == .monitor ? "monitors" : "windows" }
        var words = "version \(version)"
        if !survey.screenCastBackends.isEmpty {
            words += " by \(survey.screenCastBackends.joined(separator: ", ").printable(limit: 200))"
        }
        let others = survey.portalBackends.filter { !survey.screenCastBackends.contains($0) }
        if !others.isEmpty { words += " (other parts: \(others.joined(separator: ", ").printable(limit: 200)))" }
        words += " shares \(targets.joined(separator: " and "))"
        if !survey.cursorModes.isEmpty {
            words += ", the pointer \(survey.cursorModes.map(\.words).joined(separator: ", "))"
        }
        return .passed("portal", words)
    }

    static func pipeWire(_ found: PipeWireInventory, isNeeded: Bool) -> DoctorCheck {
        guard let library = found.library?.printable(limit: 60) else {
            return lacking(
                "pipewire", "its library is not installed", isNeeded, "install \(PipeWireInventory.libraryPackage)")
        }
        guard let server = found.server?.printable(limit: 60) else {
            return lacking(
                "pipewire", "no server answers the library \(library)", isNeeded,
                "install pipewire and wireplumber, and log in again")
        }
        return .passed("pipewire", "server \(server), library \(library)")
    }

    static func region(hasProgram: Bool) -> DoctorCheck {
        if hasProgram { return .passed("region", "slurp has regions drawn with the mouse") }
        var check = DoctorCheck.passed("region", "slurp, with which --region draw works, is not installed")
        check.remedy = "install slurp"
        return check
    }

    /// Nil if the portal's own check explains why there is no picture.
    static func region(inPictureOf survey: DesktopSurvey) -> DoctorCheck? {
        guard survey.screenCastTargets.contains(.monitor) else { return nil }
        return .passed(
            "region", "regions are drawn with the mouse in a still picture of the monitor that the desktop shows")
    }

    /// A missing requirement of windows alone is not an error if the screen does not need it.
    private static func lacking(
        _ name: String, _ detail: String, _ isNeeded: Bool, _ remedy: String
    ) -> DoctorCheck {
        guard !isNeeded else { return .failed(name, detail, remedy: remedy) }
        var check = DoctorCheck.passed(name, "\(detail); only --window ask and --backend portal need it")
        check.remedy = remedy
        return check
    }

    /// The end of the name of the package with the desktop's portal backend.
    private static func package(of desktop: String) -> String {
        let names = desktop.lowercased().split(separator: ":")
        if names.contains("gnome") { return "gnome" }
        if names.contains("kde") { return "kde" }
        return names.isEmpty ? "gnome, -kde or -wlr" : "wlr"
    }

    /// The session's desktop and compositor, for the end of a line; empty if unknown.
    static func compositor(_ inventory: WaylandInventory?) -> String {
        let desktop = ProcessEnvironment.value("XDG_CURRENT_DESKTOP")?.printable(limit: 60)
        let names = [desktop, inventory?.compositor].compactMap(\.self)
        return names.isEmpty ? "" : "; the desktop is \(names.joined(separator: ", by its protocols "))"
    }
}

extension CursorMode {
    /// For a list.
    fileprivate var words: String {
        switch self {
        case .hidden: "hidden"
        case .embedded: "as part of the frames"
        case .metadata: "beside the frames"
        }
    }
}
