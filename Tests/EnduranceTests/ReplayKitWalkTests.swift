// The rows of docs/ReplayKit.md by a person's way: an app of its own, the windows that it opens in a Chromium as a person has one, and
// that person's clicks.
import CoreTesting
import FoundationEssentials
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .browsers, .endurance)) struct ReplayKitWalkTests {
    /// Runs the app, whose buttons are pressed by lines.
    private static func app(_ desktop: ChromiumDesktop) throws -> (app: RunningKinecast, buttons: FileDescriptor) {
        let input = try FileDescriptor.pipe()
        defer { try? input.readEnd.close() }
        _ = fcntl(input.writeEnd.rawValue, F_SETFD, FD_CLOEXEC)
        let place = desktop.place
        let app = try RunningKinecast(
            arguments: [RunningKinecast.scene],
            environment: ProcessEnvironment.merging(place.environment, desktop.environment),
            directory: place.directory, input: input.readEnd,
            executable: RunningKinecast.sibling("kinecast-replay-app"), asJob: true)
        return (app, input.writeEnd)
    }

    private static func press(_ button: String, _ buttons: FileDescriptor) throws {
        _ = try buttons.writeAll("\(button)\n".utf8)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a person broadcasts an app, finds it again after it was killed, and cuts, shares and saves its recording`()
        throws
    {
        let screen = try PrivateScreen(size: PixelSize(width: 1280, height: 800))
        defer { screen.end() }
        try TestPlace.with { place in
            try place.makeDirectory("Kinecast")
            let program = RunningKinecast.sibling("kinecast-replay-app")
            #expect(try place.run("permissions", "grant", program).status == 0)
            let desktop = try ChromiumDesktop(place, screen)
            let (first, buttons) = try Self.app(desktop)
            defer { try? buttons.close() }
            try cancels(first, buttons, desktop)
            try broadcasts(first, buttons, desktop)
            try movesCamera(desktop)
            first.signal(SIGKILL)
            _ = try first.wait()
            let (second, others) = try Self.app(desktop)
            try Self.press("find", others)
            #expect(try second.line("found") == "found live, true")
            try Self.press("finish", others)
            try second.line("finished")
            try previews(second, others, desktop)
            try others.close()
            #expect(try second.wait().status == 0)
            #expect(try place.run(["studio", "--quit"], desktop.environment).status == 0)
        }
    }

    private func cancels(_ app: RunningKinecast, _ buttons: FileDescriptor, _ desktop: ChromiumDesktop) throws {
        try Self.press("broadcast", buttons)
        try desktop.withWindow { window in
            #expect(try window.browser.wait(until: "return document.querySelector('.service input')?.checked === true"))
            let services: Int = try window.browser.run("return document.querySelectorAll('.service').length")
            #expect(services == 1, "only the preferred service is there")
            try window.clickLast("Cancel")
            #expect(try app.line("broadcast: ").hasPrefix("broadcast: cancelled"))
        }
    }

    private func broadcasts(_ app: RunningKinecast, _ buttons: FileDescriptor, _ desktop: ChromiumDesktop) throws {
        try Self.press("broadcast", buttons)
        try desktop.withWindow { window in
            try window.check("With the microphone")
            // The live page needs nothing to be set.
            try window.click("Continue")
            #expect(try window.browser.wait(until: "return Number(document.querySelector('.count')?.textContent) > 0"))
            #expect(try app.line("chosen") == "chosen live, true")
            try app.line("live")
        }
    }

    /// In a window that the person opens.
    private func movesCamera(_ desktop: ChromiumDesktop) throws {
        #expect(try desktop.place.run(["studio"], desktop.environment).status == 0)
        try desktop.withWindow { window in
            let frame = "document.querySelector('.take .camera-frame')"
            let isShown = "Boolean(\(frame)?.checkVisibility() && \(frame).clientWidth)"
            #expect(try window.browser.wait(until: "return \(isShown)"))
            let before = try layout(window)
            let _: Bool = try window.browser.run(
                "\(frame).dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true })); return true"
            )
            try wait("the camera to move") { try layout(window)[0] < before[0] }
            let _: Bool = try window.browser.run(
                "\(frame).dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true })); return true")
            try wait("the camera to grow") { try layout(window)[1] > before[1] }
            let _: Bool = try window.browser.run("setTimeout(() => close(), 100); return true")
        }
    }

    /// The place and the size of the running take's camera, as the server knows them.
    private func layout(_ window: StudioWindow) throws -> [Double] {
        try window.browser.runUntilDone(
            """
            const done = arguments[0];
            fetch("/api/takes", { headers: { "Kinecast-Key": sessionStorage.getItem("kinecast-key") } })
                .then((answer) => answer.json()).then(([{ cameraLayout }]) => done([cameraLayout.x, cameraLayout.size]));
            """, seconds: 60)
    }

    private func previews(_ app: RunningKinecast, _ buttons: FileDescriptor, _ desktop: ChromiumDesktop) throws {
        try Self.press("record", buttons)
        try app.line("recording")
        try wait("three seconds") {
            struct Take: Decodable { var duration: Double? }
            let status = try desktop.place.run("status", "--json").output
            return try JSONDecoder().decode(Take.self, from: Data(status.utf8)).duration ?? 0 > 3
        }
        try Self.press("stop", buttons)
        try app.line("recorded")
        try Self.press("preview", buttons)
        let file = desktop.place.path("Kinecast/Walk.mp4")
        try desktop.withWindow { window in
            #expect(try window.plays())
            try window.cutFirstSecond()
            try window.click("Save as new")
            try window.answer("Part", "Save")
            #expect(try window.works("done", "Part"))
            try window.share(by: "org.example.post")
            #expect(try app.line("posted") == "posted true")
            #expect(try window.works("done", "Forum"))
            try window.click("Save to videos")
            try window.answer("Walk", "Save to videos")
            #expect(try window.plays("Walk"))
            try window.clickLast("Done")
            #expect(try app.line("finished") == "finished org.example.post org.kinecast.save-to-videos")
            #expect(try app.line("at") == "at \(file)")
        }
        let part = try TakeFile.listedDuration(desktop.place.path("Kinecast/Part.mp4"))
        #expect(try TakeFile.listedDuration(file) - part > 0.5)
    }
}
