// The doctor's verdict on the services that it finds.
import KineDesktop
import KineMedia
import KinePipeWire
import KineServices
import SystemPackage
import Testing

@testable import KineHost

@Suite struct DoctorTests {
    func service(_ id: String, _ origin: Service.Origin) -> Service {
        Service(
            manifest: ServiceManifest(id: id, name: id, executable: "run-\(id)"), origin: origin, bundle: nil,
            executable: FilePath("/somewhere/run-\(id)"))
    }

    @Test func `services that can be started are named`() {
        let check = Doctor.services([service("live", .builtIn), service("a", .user)], []) { _ in true }
        #expect(check.ok && check.detail == "live, a" && check.remedy == nil)
    }

    @Test func `an executable that is missing is named, with what to do`() {
        let check = Doctor.services([service("live", .builtIn)], []) { _ in false }
        #expect(!check.ok && !check.essential)
        #expect(check.detail.contains("/somewhere/run-live"))
        #expect(check.remedy?.contains("run-live") == true)
        let own = Doctor.services([service("live", .builtIn), service("a", .user)], []) { $0 != "/somewhere/run-a" }
        #expect(own.detail.hasPrefix("a cannot be started"))
        #expect(own.remedy?.contains("kinecast services remove a") == true)
    }

    @Test func `an error's sentence is parted into what happened and what to do, each said once`() {
        let audio = DoctorCheck.failed("audio", sentence: "No server answers (refused); start one, or wait.")
        #expect(audio.detail == "No server answers (refused)" && audio.remedy == "start one, or wait")
        let display = DoctorCheck.failed("display", sentence: "There is no display: it is not set. Log in; try again.")
        #expect(display.detail == "There is no display: it is not set" && display.remedy == "log in; try again")
        let other = DoctorCheck.failed("takes", sentence: "It is lost; find it.", essential: true, remedy: "look")
        #expect(other.detail == "It is lost" && other.remedy == "look" && other.essential)
    }

    @Test func `a damaged bundle is told`() {
        let check = Doctor.services([service("live", .builtIn)], ["The service in x is left out."]) { _ in true }
        #expect(!check.ok && check.detail == "The service in x is left out.")
    }

    @Test func `a machine without a desktop is in order, and one that shows nothing is told what to start`() {
        var survey = DesktopSurvey()
        #expect(Doctor.desktop(survey).map(\.ok) == [true])
        survey.hasLibrary = true
        #expect(Doctor.desktop(survey).map(\.ok) == [true])
        survey.hasSession = true
        #expect(Doctor.desktop(survey).map(\.ok) == [false, false])
        survey.notifications = "dunst 1.9"
        survey.isLocked = false
        #expect(Doctor.desktop(survey).map(\.ok) == [false, true])
        survey.capabilities.hasActions = true
        let checks = Doctor.desktop(survey)
        #expect(checks.allSatisfy { $0.ok && !$0.essential })
        #expect(checks.first?.detail.hasPrefix("dunst 1.9 shows") == true)
    }

    // MARK: Wayland

    private static var portal: DesktopSurvey {
        var survey = DesktopSurvey()
        (survey.hasLibrary, survey.hasSession) = (true, true)
        survey.screenCastVersion = 5
        survey.screenCastTargets = [.monitor, .window]
        survey.cursorModes = [.hidden, .embedded, .metadata]
        survey.portalBackends = ["gnome", "gtk"]
        survey.screenCastBackends = ["gnome"]
        return survey
    }

    @Test func `a portal is named with the part of the desktop that shares the screen, and what it shares`() {
        let check = Doctor.portal(Self.portal, desktop: "GNOME", isNeeded: true)
        #expect(check.ok && check.remedy == nil)
        #expect(
            check.detail
                == "version 5 by gnome (other parts: gtk) shares monitors and windows, the pointer hidden, as part of the frames, "
                + "beside the frames")
    }

    @Test(arguments: [true, false])
    func `what a portal lacks is told with the packages of that desktop`(isNeeded: Bool) {
        func check(_ desktop: String, _ change: (inout DesktopSurvey) -> Void) -> (detail: String, remedy: String?) {
            var survey = Self.portal
            change(&survey)
            let check = Doctor.portal(survey, desktop: desktop, isNeeded: isNeeded)
            #expect(check.ok != isNeeded && !check.essential)
            #expect(check.detail.contains("only --window ask and --backend portal need it") != isNeeded)
            return (check.detail, check.remedy)
        }
        #expect(check("GNOME") { $0.hasLibrary = false }.remedy?.contains("libsystemd0") == true)
        #expect(check("GNOME") { $0.hasSession = false }.remedy?.contains("dbus-user-session") == true)
        for (desktop, package) in [
            ("ubuntu:GNOME", "gnome"), ("KDE", "kde"), ("sway", "wlr"), ("", "gnome, -kde or -wlr"),
        ] {
            let none = check(desktop) { $0.screenCastVersion = nil }
            #expect(none.remedy?.contains("xdg-desktop-portal and xdg-desktop-portal-\(package)") == true)
            #expect(none.detail.contains("gnome, gtk"))
            #expect(check(desktop) { $0.screenCastTargets = [] }.remedy?.contains("-\(package)") == true)
        }
    }

    @Test func `PipeWire is told with both versions, and what of it is missing with its package`() {
        #expect(
            Doctor.pipeWire(PipeWireInventory(library: "1.4.2", server: "1.4.1"), isNeeded: true).detail
                == "server 1.4.1, library 1.4.2")
        let library = Doctor.pipeWire(PipeWireInventory(), isNeeded: true)
        #expect(!library.ok && library.remedy == "install libpipewire-0.3-0")
        let server = Doctor.pipeWire(PipeWireInventory(library: "1.4.2"), isNeeded: true)
        #expect(!server.ok && server.remedy?.contains("pipewire and wireplumber") == true)
        #expect(Doctor.pipeWire(PipeWireInventory(library: "1.4.2"), isNeeded: false).ok)
        #expect(Doctor.region(hasProgram: true).remedy == nil)
        #expect(Doctor.region(hasProgram: false).remedy == "install slurp")
        var survey = DesktopSurvey()
        #expect(Doctor.region(inPictureOf: survey) == nil)
        survey.screenCastTargets = [.window]
        #expect(Doctor.region(inPictureOf: survey) == nil)
        survey.screenCastTargets = [.window, .monitor]
        #expect(Doctor.region(inPictureOf: survey)?.ok == true)
    }
}
