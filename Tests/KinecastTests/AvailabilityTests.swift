// Whether a recorder could record, on the desktops that people have.
import CoreTesting
import DesktopTesting
import Glibc
import KineMeasure
import KineMedia
import ScreenTesting
import Testing

@testable import Kinecast

@Suite(.serialized, .tags(.real)) struct AvailabilityTests {
    private static let region = CaptureScope.region(PixelRect(x: 0, y: 0, width: 64, height: 48))
    private static let monitor = SourceList.Monitor(
        name: "DP-1", bounds: PixelRect(x: 0, y: 0, width: 640, height: 480), isPrimary: false)

    private func sources(_ change: (inout SourceList) -> Void) -> SourceList {
        var list = SourceList()
        change(&list)
        return list
    }

    @Test func `screens and regions need a way to them`() {
        let scopes = [
            CaptureScope.screen, Self.region, .drawnRegion, .monitor("dp-1"), .monitor("DP-2"),
        ]
        for (backend, monitors, expected) in [
            (TakeConfiguration.Backend?.none, [Self.monitor], [false, false, false, false, false]),
            (.x11, [Self.monitor], [true, true, true, true, false]), (.x11, [], [false, false, false, false, false]),
            (.wlr, [Self.monitor], [true, true, true, true, false]), (.wlr, [], [false, false, false, false, false]),
            (.portal, [Self.monitor], [true, true, true, true, false]),
            (.portal, [], [true, true, true, false, false]),
        ] {
            let list = sources { ($0.screenBackend, $0.monitors) = (backend, monitors) }
            #expect(
                scopes.map { Availability.has($0, list) } == expected, "\(String(describing: backend)), \(monitors)")
        }
    }

    @Test func `windows are available by what names them`() {
        let own = SourceList.Window(
            id: 7, title: "A Letter", application: "Editor", bounds: PixelRect(x: 0, y: 0, width: 64, height: 48),
            processID: getpid())
        let list = sources { $0.windows = [own] }
        for scope: CaptureScope in [
            .ownWindow, .window(7), .focusedWindow, .windowTitled("letter"), .application("editor"),
        ] {
            #expect(Availability.has(scope, list) && !Availability.has(scope, SourceList()), "\(scope)")
        }
        for scope: CaptureScope in [.window(8), .windowTitled("mail"), .application("edit"), .chosenWindow] {
            #expect(!Availability.has(scope, list), "\(scope)")
        }
        #expect(Availability.has(.chosenWindow, sources { $0.dialogs = [.monitor, .window] }))
        #expect(!Availability.has(.chosenWindow, sources { $0.dialogs = [.monitor] }))
    }

    /// Weston's protocols do not let programs copy its screen.
    @Test func `on a desktop that asks the person, its portal decides`() async throws {
        let session = try WaylandDesktop(size: PixelSize(width: 320, height: 240))
        let bus = try TestBus()
        let portal = try StandInPortal(bus)
        func check(_ scope: CaptureScope, _ environment: [String]) async throws -> Bool {
            let engine = try TestEngine(to: "org.kinecast.test", environment: environment)
            return await Availability.check(scope, engine.locator)
        }
        let asking = session.environment + ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"]
        for scope in [CaptureScope.screen, Self.region, .drawnRegion, .chosenWindow] {
            #expect(try await check(scope, asking), "\(scope)")
            #expect(try await !check(scope, session.environment), "\(scope) without a portal")
        }
        #expect(try await !check(.focusedWindow, asking))
        portal.change { $0.sourceTypes = 1 }
        #expect(try await check(.screen, asking))
        #expect(try await !check(.chosenWindow, asking))
        portal.change { $0.sourceTypes = 2 }
        #expect(try await !check(.drawnRegion, asking))
    }
}
