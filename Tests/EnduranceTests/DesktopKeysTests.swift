// Keys that GNOME and KDE bind for Kinecast by their own portals, pressed on the compositors' own keyboards.
import CoreTesting
import DesktopTesting
import Foundation
import Glibc
import KinePlatform
import ProcessTesting
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .desktops, .endurance)) struct DesktopKeysTests {
    /// Super, Shift and R, as linux/input-event-codes.h numbers them.
    private static let (leftMeta, leftShift, r) = (UInt32(125), UInt32(42), UInt32(19))

    /// GNOME binds keys from Debian 13 on.
    private static let kinds: [PortalDesktop.Kind] = PortalDesktop.isOfDebian12 ? [.kwin] : [.kwin, .gnomeShell]

    /// The entry that is installed. Desktops know only applications whose program they find.
    private static func entry() throws -> String {
        let path = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
            .appending("packaging/org.kinecast.Kinecast.desktop")
        return try String(contentsOfFile: path.string, encoding: .utf8)
            .replacing("Exec=kinecast ", with: "Exec=\(RunningKinecast.executable) ")
    }

    private func start(_ place: TestPlace, on desktop: PortalDesktop) throws -> RunningKinecast {
        for name in [".config", ".config/kinecast"] { try place.makeDirectory(name) }
        try place.write("[record]\npattern = 320x240\naudio = none\n", to: ".config/kinecast/kinecast.conf")
        return try place.start(["tray"], desktop.environment)
    }

    /// Returns after about a second of the take.
    private func recorded(_ place: TestPlace) throws {
        try wait("the take") { try place.run("status", "--json").output.contains(#""phase":"recording""#) }
        usleep(1_000_000)
    }

    /// Waits for the end of the take.
    private func expectOneFile(_ place: TestPlace) throws {
        try wait("its end") { try place.registry().list().running.isEmpty }
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path("Kinecast"))
        #expect(names.count == 1)
        #expect(try TakeFile.finishedDuration(place.path("Kinecast/\(names.first ?? "")")) > 0.5)
    }

    @Test(arguments: kinds)
    func `a key that the desktop has bound starts a take, and its next press ends it`(kind: PortalDesktop.Kind) throws {
        let desktop = try PortalDesktop(kind, application: try Self.entry())
        let input = try desktop.input()
        try TestPlace.with { place in
            let tray = try start(place, on: desktop)
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
            try place.waitForTake()
            try recorded(place)
            try input.type(Self.leftMeta, Self.leftShift, Self.r)
            try expectOneFile(place)
            #expect(try place.run("tray", "--quit").status == 0)
            #expect(try tray.wait().status == 0)
        }
    }

    /// Plasma 5.27 has its tray's icons elsewhere.
    @Test(arguments: PortalDesktop.isOfDebian12 ? [] : [PortalDesktop.Kind.kwin])
    func `the menu in Plasma's tray starts a take and ends it`(kind: PortalDesktop.Kind) throws {
        let desktop = try PortalDesktop(kind, application: try Self.entry())
        let input = try desktop.input()
        try desktop.startPanel()
        try TestPlace.with { place in
            let tray = try start(place, on: desktop)
            // Nothing tells when the panel shows an item.
            usleep(3_000_000)
            func choose(_ entry: (x: Int, y: Int)) throws {
                try input.move(to: 1104, 692)
                try input.click(.right)
                usleep(1_000_000)
                try input.move(to: entry.x, entry.y)
                try input.click()
            }
            try choose((1148, 493))
            try place.waitForTake()
            try recorded(place)
            try choose((1148, 493))
            try expectOneFile(place)
            #expect(try place.run("tray", "--quit").status == 0)
            #expect(try tray.wait().status == 0)
        }
    }
}
