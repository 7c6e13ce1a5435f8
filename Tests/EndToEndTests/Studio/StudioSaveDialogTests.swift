// A cut that is saved by the desktop's own file dialog, in the studio's page.
import CoreTesting
import DesktopTesting
import Glibc
import KineMeasure
import KinePlatform
import ProcessTesting
import Testing

@Suite(.tags(.real, .programs)) struct StudioSaveDialogTests {
    @Test(.tags(.endurance))
    func `a cut is saved where the person chooses, and each other end of the dialog is shown`() throws {
        let bus = try TestBus()
        let portal = try StandInFilePortal(bus)
        try RunningStudio.with(["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"]) { studio in
            let place = studio.place
            try place.makeDirectory("Kinecast")
            try place.makeDirectory("else where")
            try studio.recordTalk()
            try studio.withWindow { window in
                try window.click("Open recording")
                #expect(try window.plays("Talk"))
                try window.cutFirstSecond()
                try begin(window, portal, named: "Part")
                try window.expectAccessible("waiting for the desktop's dialog")
                portal.answer("file://\(place.path("else%20where/mine.mp4"))")
                #expect(try window.works("done", "Part"))
                let file = place.path("else where/mine.mp4")
                let first = try TakeFile.listedDuration(file)
                #expect(first < 1.2)
                // The dialog has asked whether to replace it.
                try begin(window, portal, named: "Part")
                portal.answer("file://\(place.path("else%20where/mine.mp4"))")
                #expect(try window.works("done", "Part"))
                #expect(try TakeFile.listedDuration(file) == first)
                try begin(window, portal, named: "Part")
                portal.answer(nil)
                #expect(try window.works("cancelled", "Part"))
                try begin(window, portal, named: "Part")
                portal.answer("file:///proc/part.mp4")
                #expect(try window.works("failed", "/proc"))
                try begin(window, portal, named: "Part")
                try window.click("Cancel")
                #expect(try window.works("cancelled", "Part"))
                try wait("the dialog to close") { portal.dialog == nil }
                portal.end()
                try window.click("Save as new")
                try window.answer("Part", "Choose a place…")
                #expect(try window.works("failed", "save it with a name instead"))
            }
            #expect(PrivateDirectory.entries(.init(place.path("Kinecast"))) == ["Talk.mp4"])
            #expect(PrivateDirectory.entries(.init(place.path("else where"))) == ["mine.mp4"])
        }
    }

    /// Asks for the desktop's dialog, and waits until it is shown.
    private func begin(_ window: StudioWindow, _ portal: StandInFilePortal, named name: String) throws {
        try window.click("Save as new")
        let isOffered = """
            return [...document.querySelectorAll("dialog[open] button")]
                .some((one) => one.textContent === "Choose a place…" && !one.hidden);
            """
        #expect(try window.browser.wait(until: isOffered))
        try window.answer(name, "Choose a place…")
        try wait("the dialog") { portal.dialog?.options["current_name"] == .string("\(name).mp4") }
    }
}
