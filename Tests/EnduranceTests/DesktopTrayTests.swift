// Kinecast's menu in the trays that people have, opened and chosen from by the compositor's own mouse.
import CoreTesting
import DesktopTesting
import Glibc
import KineMedia
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .desktops, .endurance)) struct DesktopTrayTests {
    /// Nothing tells when a panel shows an item, or a menu.
    private static let (panel, menu) = (useconds_t(3_000_000), useconds_t(1_000_000))
    /// linux/input-event-codes.h
    private static let (down, enter) = (UInt32(108), UInt32(28))

    /// - Parameter choose: opens the menu and chooses the entry that starts and stops, the first one that can be chosen.
    private func expectTake(on desktop: PortalDesktop, choose: () throws -> Void) throws {
        try TestPlace.with { place in
            let tray = try DesktopTray(in: place, on: desktop)
            usleep(Self.panel)
            try choose()
            try tray.waitForRecording()
            try choose()
            try tray.expectOneFile()
            try tray.expectQuit()
        }
    }

    /// Plasma 5.27 has its tray's icons elsewhere.
    @Test(arguments: PortalDesktop.isOfDebian12 ? [] : [PortalDesktop.Kind.kwin])
    func `the menu in Plasma's tray starts a take and ends it`(kind: PortalDesktop.Kind) throws {
        let desktop = try PortalDesktop(kind, application: try DesktopTray.entry())
        let input = try desktop.input()
        try desktop.startPanel()
        try expectTake(on: desktop) {
            try input.move(to: 1104, 692)
            try input.click(.right)
            usleep(Self.menu)
            try input.type(Self.down)
            try input.type(Self.enter)
        }
    }

    @Test func `the menu in waybar on sway starts a take and ends it`() throws {
        let desktop = try PortalDesktop(.sway, application: try DesktopTray.entry())
        let mouse = try WaylandMouse(on: desktop.display, desktop: desktop.size)
        try desktop.startBar()
        try expectTake(on: desktop) {
            for (x, y) in [(12, 15), (60, 58)] {
                try mouse.move(to: x, y)
                try mouse.press(.left)
                try mouse.release(.left)
                usleep(Self.menu)
            }
        }
    }
}
