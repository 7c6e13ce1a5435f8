// The studio's library with videos of other programs, with recordings that other programs rename and move, and with one that was
// just made.
import CoreTesting
import DesktopTesting
import Glibc
import KineDesktop
import KineMeasure
import KinePlatform
import ProcessTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct StudioVideosTests {
    private static let configuration = "[record]\naudio = none\n"

    /// Makes a video of two seconds.
    private static func make(_ name: String, _ codec: String, in studio: RunningStudio) throws {
        let source = ["-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=10:duration=2"]
        _ = try Tool.output(
            "ffmpeg", source + ["-c:v", codec, "-pix_fmt", "yuv420p", studio.place.path("Kinecast/\(name)")])
    }

    /// Opens a video of another program once its tile shows this length.
    private func open(_ name: String, lasting length: String, in window: StudioWindow) throws {
        let isListed = """
            const tile = [...document.querySelectorAll(".tile[data-state=foreign]")]
                .find((one) => one.querySelector(".title").textContent === "\(name)");
            if (tile?.querySelector(".length").textContent !== "\(length)") return false;
            tile.querySelector(".open").id = "opened";
            return \(length.isEmpty) || tile.querySelector(".picture canvas") != null;
            """
        #expect(try window.browser.wait(until: isListed), "\(name)")
        try window.browser.click("#opened")
    }

    @Test func `a video of another program plays, is renamed, shared and deleted, and is not cut`() throws {
        try RunningStudio.with(configuration: Self.configuration) { studio in
            try studio.place.makeDirectory("Kinecast")
            try Self.make("talk.webm", "libvpx", in: studio)
            try Self.make("old.avi", "mpeg4", in: studio)
            try studio.withWindow { window in
                try window.show("Library")
                try open("talk.webm", lasting: "0:02", in: window)
                let isShown = """
                    return document.querySelector(".player")?.dataset.state === "ready"
                        && document.querySelector(".player video").controls
                        && document.querySelector(".trouble").textContent.includes("it cannot cut it")
                        && !document.querySelector(".timeline").checkVisibility();
                    """
                #expect(try window.browser.wait(until: isShown))
                try window.expectAccessible("another program's video")
                let address: String = try window.browser.run("return document.querySelector('.player video').src")
                try window.click("Rename")
                try window.name("first")
                let isRenamed = "return document.querySelector('.viewer h2').textContent === 'first.webm'"
                #expect(try window.browser.wait(until: isRenamed))
                #expect(try window.browser.run("return document.querySelector('.player video').src") == address)
                let file = studio.place.path("Kinecast/first.webm")
                #expect(access(file, F_OK) == 0)
                try window.click("Share")
                try window.answer(nil, "Cancel")
                try window.click("Delete")
                try open("old.avi", lasting: "", in: window)
                #expect(access(file, F_OK) != 0)
                let isOffered = """
                    return document.querySelector(".player")?.dataset.state === "failed"
                        && document.querySelector(".player .hint").textContent.includes("open it with another program")
                        && [...document.querySelectorAll(".viewer button")]
                            .some((one) => one.textContent === "Open with…" && one.checkVisibility());
                    """
                #expect(try window.browser.wait(until: isOffered))
            }
        }
    }

    @Test func `a recording that another program renames plays on, and one that it moves is gone until it is back`()
        throws
    {
        try RunningStudio.with(configuration: Self.configuration) { studio in
            let place = studio.place
            try place.makeDirectory("Kinecast")
            try place.makeDirectory("elsewhere")
            try studio.recordTalk()
            try studio.withWindow { window in
                try window.click("Open recording")
                #expect(try window.plays("Talk"))
                try window.cutFirstSecond()
                let start = try window.time(of: "from")
                let address: String = try window.browser.run("return document.querySelector('.player video').src")
                rename(place.path("Kinecast/Talk.mp4"), place.path("Kinecast/Other.mp4"))
                #expect(try window.plays("Other"))
                #expect(try window.browser.run("return document.querySelector('.player video').src") == address)
                #expect(try window.time(of: "from") == start)
                let status: Int = try window.browser.runUntilDone(
                    "fetch('\(address)', { headers: { Range: 'bytes=0-9' } }).then(({ status }) => arguments[0](status))",
                    seconds: 60)
                #expect(status == 206, "its bytes have the old address")
                rename(place.path("Kinecast/Other.mp4"), place.path("elsewhere/Other.mp4"))
                let isGone = """
                    return document.querySelector(".trouble").textContent === "This recording was moved or deleted."
                        && !document.querySelector(".player").checkVisibility()
                        && [...document.querySelectorAll(".viewer button")].filter((one) => one.checkVisibility()).length === 1;
                    """
                #expect(try window.browser.wait(until: isGone))
                try window.expectAccessible("a recording that is gone")
                rename(place.path("elsewhere/Other.mp4"), place.path("Kinecast/Back.mp4"))
                #expect(try window.plays("Back"))
                #expect(try window.time(of: "from") == start)
                unlink(place.path("Kinecast/Back.mp4"))
                #expect(try window.browser.wait(until: isGone))
                try window.click("‹ Library")
                #expect(try window.browser.wait(until: "return document.querySelector('.empty')?.checkVisibility()"))
            }
        }
    }

    @Test func `a recording just made is ready for its name, its cut, the file manager and the trash`() throws {
        let bus = try TestBus()
        let (name, path) = ("org.freedesktop.FileManager1", "/org/freedesktop/FileManager1")
        let manager = try BusService(bus, name: name, paths: [path]) { _ in .values([]) }
        defer { manager.end() }
        let variables = ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"]
        try RunningStudio.with(configuration: Self.configuration, variables) { studio in
            try studio.place.makeDirectory("Kinecast")
            try studio.recordTalk()
            try studio.withWindow { window in
                #expect(try window.isIdle())
                let isOpened: Bool = try window.browser.runUntilDone(Self.opening, seconds: 60)
                #expect(try isOpened && window.plays("Talk"))
                try window.browser.show(width: 1366, height: 680, .light)
                #expect(try window.browser.wait(until: Self.isReady))
                try window.name("Walk & talk")
                #expect(try window.plays("Walk & talk"))
                try window.click("Show in folder")
                let file = studio.place.path("Kinecast/Walk%20%26%20talk.mp4")
                try wait("the file manager") {
                    manager.calls.map(\.arguments) == [[.strings(["file://\(file)"]), .string("")]]
                }
                #expect(try drags(in: window))
                try window.expectAccessible("a new recording")
                try window.click("Discard")
                #expect(try window.browser.wait(until: "return document.querySelector('.empty')?.checkVisibility()"))
                try window.click("Undo")
                #expect(try window.browser.wait(until: "return document.querySelectorAll('.tile').length === 1"))
            }
        }
    }

    /// Shows the newest recording as after Stop.
    private static let opening = """
        const done = arguments[0];
        (async () => {
            const { get } = await import("/shared/session.js");
            const { showLibrary } = await import("/library/library.js");
            const section = document.getElementById("library");
            document.getElementById("record").hidden = true;
            section.hidden = false;
            const { recordings: [{ id }] } = await get("api/recordings");
            await showLibrary(section, { record() {}, opened() {} }).enter(id, false, true);
            done(true);
        })();
        """

    /// The name can be typed, both ends of the cut are there, nothing has to be scrolled, and no button is red or has another's name.
    private static let isReady = """
        const field = document.activeElement;
        const seen = [...document.querySelectorAll("button, .handle, input")].filter((one) => one.checkVisibility());
        const names = seen.map((one) => one.ariaLabel || one.textContent);
        const isRed = (one) => {
            const [red, green, blue] = getComputedStyle(one).backgroundColor.match(/[0-9.]+/g).map(Number);
            return red - Math.max(green, blue) > 60;
        };
        return field.matches(".name input") && field.value === "Talk" && field.selectionEnd === 4 && field.selectionStart === 0
            && ["from", "to"].every((end) => document.querySelector(`.handle.${end}`).checkVisibility())
            && ["Share", "Show in folder", "Record again", "Discard", "Open with…"].every((name) => names.includes(name))
            && new Set(names).size === names.length && !seen.some(isRed)
            && document.documentElement.scrollHeight <= innerHeight;
        """

    /// Whether the title gives what it is dropped on the file.
    private func drags(in window: StudioWindow) throws -> Bool {
        let status: Int = try window.browser.runUntilDone(
            """
            const event = new DragEvent("dragstart", { dataTransfer: new DataTransfer(), bubbles: true });
            document.querySelector(".viewer h2[draggable=true]").dispatchEvent(event);
            const [, type, name, address] = event.dataTransfer.getData("DownloadURL").match(/^([^:]+):([^:]+):(.+)$/);
            fetch(address, { method: "HEAD" }).then(({ status }) =>
                arguments[0](type === "application/octet-stream" && name.endsWith(".mp4") ? status : 0));
            """, seconds: 60)
        return status == 200
    }
}
