// Kinecast's tray on a whole desktop, and the take that it or one of its keys starts.
import CoreTesting
import DesktopTesting
import Foundation
import ProcessTesting
import SystemPackage
import Testing

struct DesktopTray {
    private let place: TestPlace
    private let process: RunningKinecast

    /// The entry that is installed. Desktops know only applications whose program they find.
    static func entry() throws -> String {
        let path = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
            .appending("packaging/org.kinecast.Kinecast.desktop")
        return try String(contentsOfFile: path.string, encoding: .utf8)
            .replacing("Exec=kinecast ", with: "Exec=\(RunningKinecast.executable) ")
    }

    /// Takes that it starts record the engine's pattern.
    init(in place: TestPlace, on desktop: PortalDesktop) throws {
        self.place = place
        for name in [".config", ".config/kinecast"] { try place.makeDirectory(name) }
        try place.write("[record]\npattern = 320x240\naudio = none\n", to: ".config/kinecast/kinecast.conf")
        process = try place.start(["tray"], desktop.environment)
    }

    /// Returns when a second has been recorded.
    func waitForRecording() throws {
        try wait("a second of the take") {
            let status = try place.run("status", "--json").output
            return status.firstMatch(of: /"duration":([0-9.]+)/).flatMap { Double($0.1) } ?? 0 >= 1
        }
    }

    /// Waits for the end of the take.
    func expectOneFile() throws {
        try wait("its end") { try place.registry().list().running.isEmpty }
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path("Kinecast"))
        #expect(names.count == 1)
        #expect(try TakeFile.finishedDuration(place.path("Kinecast/\(names.first ?? "")")) > 0.5)
    }

    func expectQuit() throws {
        #expect(try place.run("tray", "--quit").status == 0)
        #expect(try process.wait().status == 0)
    }
}
