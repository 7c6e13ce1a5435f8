// Keys that GNOME and KDE bind for Kinecast by their own portals, pressed on the compositors' own keyboards.
import CoreTesting
import DesktopTesting
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .desktops, .endurance)) struct DesktopKeysTests {
    /// Super, Shift and R, as linux/input-event-codes.h numbers them.
    private static let (leftMeta, leftShift, r) = (UInt32(125), UInt32(42), UInt32(19))

    /// GNOME binds keys from Debian 13 on.
    private static let kinds: [PortalDesktop.Kind] = PortalDesktop.isOfDebian12 ? [.kwin] : [.kwin, .gnomeShell]

    @Test(arguments: kinds)
    func `a key that the desktop has bound starts a take, and its next press ends it`(kind: PortalDesktop.Kind) throws {
        let desktop = try PortalDesktop(kind, application: try DesktopTray.entry())
        let input = try desktop.input()
        try TestPlace.with { place in
            let tray = try DesktopTray(in: place, on: desktop)
            // The desktop holds the usual keys that no file names.
            func isBound() throws -> Bool {
                try place.run("shortcuts", "--json").output.split(separator: "\n").first?.contains("portal") == true
            }
            if kind == .gnomeShell {
                try desktop.leaveOverview()
                try input.answer(PortalDialog.keys, until: isBound)
            } else {
                try wait("the keys") { try isBound() }
            }
            try input.type(Self.leftMeta, Self.leftShift, Self.r)
            try tray.waitForRecording()
            try input.type(Self.leftMeta, Self.leftShift, Self.r)
            try tray.expectOneFile()
            try tray.expectQuit()
        }
    }
}
