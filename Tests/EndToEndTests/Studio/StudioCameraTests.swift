// A camera in the page: placed, recorded, and moved in the running take.
import FoundationEssentials
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs, .endurance)) struct StudioCameraTests {
    private struct Take: Decodable {
        var source: String
        var camera: String?
        var cameraLayout: CameraLayout?
        var cameraSize: PixelSize?
    }

    @Test func `a camera is placed, recorded, and moved`() throws {
        try RunningStudio.with(configuration: "[record]\naudio = none\ncamera = pattern\n") { studio in
            let session = try studio.openSession(with: studio.newLink())
            try studio.withWindow { window in
                try window.skipCountdown()
                try placeCamera(in: window)
                try window.click("Record")
                #expect(try window.shows("Recording"))
                let begun = try take(of: studio, session)
                #expect(begun.camera == "pattern")
                let layout = try #require(begun.cameraLayout)
                #expect(layout.x == 0 && layout.y == 0 && layout.shape == .circle && layout.isMirrored)
                #expect(layout.size > 0.25, "the handle made it larger")
                // A picture of the screen in this window would show itself.
                try window.click("Show the picture")
                try moveCamera(in: window)
                let moved = try take(of: studio, session)
                #expect(
                    moved.cameraLayout
                        == CameraLayout(
                            x: 0.02, y: 0, size: layout.size, shape: .circle, isMirrored: true))
                #expect(moved.cameraSize.map { $0.area > 0 } == true)
                try window.click("Hide camera")
                #expect(try window.browser.wait(until: Self.has("Show camera")))
                #expect(try take(of: studio, session).camera == nil)
                try window.endTake()
                #expect(try window.notes("Saved"))
            }
            let file = try #require(PrivateDirectory.entries(FilePath(studio.place.path("Kinecast"))).first)
            let frames = try ColourFrame.all(in: studio.place.path("Kinecast/\(file)"))
            #expect(!frames.isEmpty && frames.allSatisfy { $0.size == PixelSize(width: 640, height: 360) })
        }
    }

    private func take(of studio: RunningStudio, _ session: [String]) throws -> Take {
        let answer = try studio.ask("GET", "/api/takes", "", session)
        return try #require(JSONDecoder().decode([Take].self, from: Data(answer.text.utf8)).first)
    }

    private static func has(_ label: String) -> String {
        "return [...document.querySelectorAll('button')].some((one) => one.textContent === '\(label)' && !one.hidden)"
    }

    private func placeCamera(in window: StudioWindow) throws {
        let image = "document.querySelector('.camera-frame img')"
        #expect(try window.browser.run("return \(image).hidden"), "a camera is not opened because it is configured")
        try window.click("Show the camera")
        #expect(try window.browser.wait(until: "return !\(image).hidden && \(image).naturalWidth > 0"))
        try window.browser.drag(".camera-frame", x: -90, y: -70)
        let place: [Double] = try window.browser.run(
            "const { left, top } = document.querySelector('.camera-frame').style; return [parseFloat(left), parseFloat(top)]"
        )
        #expect(place[0] < 70 && place[1] < 70)
        try window.browser.drag(".camera-frame .handle", x: -20, y: -20)
        try press(["ArrowLeft", "ArrowUp"], times: 60, in: window)
        try window.check("Show the camera as in a mirror")
        try window.choose("circle", in: "Camera's shape")
    }

    private func press(_ keys: [String], times: Int = 1, in window: StudioWindow) throws {
        let _: Bool = try window.browser.run(
            """
            const frame = document.querySelector(".take .camera-frame") ?? document.querySelector(".camera-frame");
            for (const key of \(keys)) {
                for (let time = 0; time < \(times); time += 1) {
                    frame.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
                }
            }
            return true;
            """)
    }

    private func moveCamera(in window: StudioWindow) throws {
        let frame = "document.querySelector('.take .camera-frame')"
        #expect(try window.browser.wait(until: "return \(frame)?.checkVisibility() && \(frame).clientWidth > 0"))
        let place = "return parseFloat(\(frame).style.left)"
        let first: Double = try window.browser.run(place)
        try press(["ArrowRight"], in: window)
        #expect(try window.browser.run(place) > first)
        // The take's own report of the change.
        let isMoved: Bool = try window.browser.runUntilDone(
            """
            const done = arguments[0];
            const look = async () => {
                const answer = await fetch("/api/takes", { headers: { "Kinecast-Key": sessionStorage.getItem("kinecast-key") } });
                const [{ cameraLayout, cameraSize }] = await answer.json();
                if (cameraLayout?.x === 0.02 && cameraSize) done(true); else setTimeout(look, 20);
            };
            look();
            """, seconds: 60)
        #expect(isMoved)
    }
}
