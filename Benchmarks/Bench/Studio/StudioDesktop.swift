// A desktop with the studio: a screen, the server, and a browser with its page.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

/// Used by the main thread only: the programs die with the thread that started them.
final class StudioDesktop {
    let browser: Browser
    private let folder: TemporaryDirectory
    private let display: PrivateDisplay
    private let environment: [String]
    private let program: HeldProcess
    private let firstLink: String
    private var scenes: [SceneProcess] = []

    var server: Int32 { program.process.pid }

    init() throws {
        folder = try TemporaryDirectory()
        display = try PrivateDisplay(size: PixelSize(width: 1920, height: 1080))
        environment = ProcessEnvironment.merging(
            ProcessEnvironment.secluded(in: folder), display.environment + ["HOME=\(folder.path)"])
        program = try HeldProcess("kinecast", ["studio", "--no-browser"], environment: environment)
        firstLink = try program.line(deadline: deadline(in: 20))
        browser = try Browser(environment: environment)
    }

    func end() {
        browser.end()
        for scene in scenes { scene.end() }
        program.process.signal(SIGTERM)
        _ = try? program.finish(deadline: deadline(in: 10))
        display.end()
    }

    /// Opens the first window and waits until it is connected.
    func openWindow() throws {
        try browser.open(firstLink)
        try wait("document.body.dataset.phase === 'open' && document.querySelector('#recording .gallery')")
    }

    /// Opens another window in a tab of its own, which it closes. Returns the milliseconds of its navigation until it is
    /// painted, and until it is connected.
    func timeWindow() throws -> (paint: Double, connected: Double) {
        let link = try HeldProcess("kinecast", ["studio", "--no-browser"], environment: environment)
            .finish(deadline: deadline(in: 20))
        let earlier = try browser.openTab()
        try browser.runBeforePages(
            """
            new MutationObserver((_, observer) => {
                if (document.body?.dataset.phase !== "open") return;
                window.connected = performance.now();
                observer.disconnect();
            }).observe(document, { subtree: true, childList: true, attributes: true });
            """)
        try browser.open(String(link.filter { !$0.isNewline }))
        try wait("window.connected")
        let times: [Double] = try browser.runUntilDone(
            """
            const done = arguments[0];
            new PerformanceObserver((list, observer) => {
                const paint = list.getEntriesByName("first-paint")[0];
                if (!paint) return;
                observer.disconnect();
                done([paint.startTime, window.connected]);
            }).observe({ type: "paint", buffered: true });
            """, seconds: 10)
        try browser.closeTab()
        try browser.selectTab(earlier)
        return (times[0], times[1])
    }

    /// Writes a recording of this length, 30 frames a second, and opens it in a window twice: the first time the server
    /// reads it. Returns the milliseconds from each navigation until its first frame is shown and until its strip is.
    func timeRecording(hours: Int) throws -> [(frame: Double, strip: Double)] {
        let file = folder.file("long.mp4")
        unlink(file)
        _ = try LongRecording(of: .idle).write(to: file, groups: hours * 360)
        return try (0..<2).map { _ in
            let link = try HeldProcess("kinecast", ["studio", "--no-browser", file], environment: environment)
                .finish(deadline: deadline(in: 20))
            let earlier = try browser.openTab()
            try browser.open(String(link.filter { !$0.isNewline }))
            let times: [Double] = try browser.runUntilDone(
                """
                const done = arguments[0];
                let frame;
                const look = setInterval(() => {
                    const isReady = document.querySelector(".player")?.dataset.state === "ready";
                    if (isReady) frame ??= performance.now();
                    if (!frame || document.querySelector(".timeline .hint")?.textContent !== "") return;
                    clearInterval(look);
                    done([frame, performance.now()]);
                }, 5);
                """, seconds: 120)
            try browser.closeTab()
            try browser.selectTab(earlier)
            return (times[0], times[1])
        }
    }

    /// Records a scene on a virtual screen, and shows it in live pages, while `body` runs. The studio's page shows its
    /// picture. Returns how many of the frames it lost.
    @discardableResult func recording(livePages: Int, _ body: () throws -> Void) throws -> Int {
        let file = folder.file("take.mp4")
        unlink(file)
        let take = try HeldProcess(
            "kinecast",
            (livePages == 0 ? ["record", file] : ["broadcast", "--record", file])
                + Array(repeating: ["--service", "live"], count: livePages).joined() + [
                    "--virtual", "1920x1080", "--fps", "30", "--audio", "none", "--json", "--",
                    Tool.sibling("kinecast-scene"), "video",
                ], environment: environment)
        while try !take.line(deadline: deadline(in: 30)).contains("\"event\":\"started\"") {}
        try wait("document.querySelector('.take')?.dataset.phase === 'recording'")
        try wait("document.querySelector('.preview')?.dataset.state === 'live'")
        try body()
        _ = try HeldProcess("kinecast", ["stop"], environment: environment).finish(deadline: deadline(in: 30))
        let summary = try take.finish(deadline: deadline(in: 30))
        try wait("!document.querySelector('.take')")
        guard let lost = summary.matches(of: /"framesDropped":([0-9]+)/).last, let count = Int(lost.1) else {
            throw Tool.Error.failed(name: "kinecast", ending: .unknown, complaint: "Its summary counts no lost frames.")
        }
        return count
    }

    /// Pauses the take by a request of the page, or resumes it. Returns the milliseconds from the request until the page
    /// has drawn the new state: what the engine needs for it is in them.
    func timePause(isOn: Bool) throws -> Double {
        try browser.runUntilDone(
            """
            const done = arguments[0], take = document.querySelector(".take");
            const headers = {
                "Content-Type": "application/json", "Kinecast-Key": sessionStorage.getItem("kinecast-key"),
            };
            const begin = performance.now();
            new MutationObserver((_, observer) => {
                if (take.dataset.phase !== "\(isOn ? "paused" : "recording")") return;
                observer.disconnect();
                requestAnimationFrame(() => done(performance.now() - begin));
            }).observe(take, { attributes: true });
            fetch(`api/takes/${take.dataset.take}/\(isOn ? "pause" : "resume")`, { method: "POST", headers, body: "{}" });
            """, seconds: 10)
    }

    /// Shows windows of 960×600 that overlap, some of which change twice a second.
    func showWindows(_ count: Int, changing: Int) throws {
        for index in 0..<count {
            scenes.append(
                try SceneProcess(
                    index < changing ? .clock : .idle,
                    arguments: [
                        "--fps", "2", "--size", "960x600", "--managed", "--at",
                        "\(index % 5 * 240),\(index / 5 * 160)",
                    ], environment: environment))
        }
        try wait("document.querySelectorAll('#recording .card .picture img').length >= \(count)")
        let _: Bool = try browser.run(
            "document.querySelectorAll('#recording .segments input')[1].click(); return true")
        try wait(
            "[...document.querySelectorAll('#recording .card img')].filter(one => one.checkVisibility()).length >= \(count)"
        )
    }

    /// The engine that makes pictures, if it runs.
    var survey: Int32? {
        ProcFiles.children(of: server).first { ProcFiles.read("/proc/\($0)/cmdline").contains("--survey") }
    }

    func wait(_ condition: String) throws {
        guard try browser.wait(seconds: 60, until: "return Boolean(\(condition))") else {
            throw Tool.Error.failed(
                name: "kinecast-studio", ending: .unknown, complaint: "The page never had \(condition).")
        }
    }
}
