// The doctor's verdict on the services that it finds.
import KineDesktop
import KineServices
import SystemPackage
import Testing

@testable import KineEngine

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
}
