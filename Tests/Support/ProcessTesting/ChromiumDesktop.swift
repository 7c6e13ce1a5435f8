// A desktop with Chromium as a person has one: Kinecast opens its windows in it, and a test presses their buttons.
import CoreTesting
import FoundationEssentials
import Glibc
import KineMeasure
import KinePlatform
import ScreenTesting
import SystemPackage
import Testing

package struct ChromiumDesktop {
    package let place: TestPlace
    /// For the programs that open windows.
    package let environment: [String]
    private var profile: String { place.path("profile") }

    package init(_ place: TestPlace, _ screen: PrivateScreen) throws {
        try self.init(place, ["DISPLAY=\(screen.name)"])
    }

    /// - Parameter variables: of a session on Wayland.
    package init(_ place: TestPlace, onWayland variables: [String]) throws {
        try self.init(place, variables, "--ozone-platform=wayland")
    }

    private init(_ place: TestPlace, _ variables: [String], _ option: String = "") throws {
        self.place = place
        try place.makeDirectory("bin")
        let options =
            "--no-sandbox --disable-dev-shm-usage --disable-gpu --no-first-run --remote-debugging-port=0 \(option)"
        try place.write(
            """
            #!/bin/sh
            exec '\(try Tool.path(of: "chromium"))' \(options) --user-data-dir='\(place.path("profile"))' "$@"

            """, to: "bin/chromium", permissions: .ownerReadWriteExecute)
        let path = "PATH=\(place.path("bin")):" + (ProcessEnvironment.value("PATH") ?? "")
        environment = [path, "BROWSER=chromium"] + variables
    }

    /// Whether a window has been opened that was not lent yet.
    package var isOpen: Bool { debugger != nil }

    /// The port that drives it.
    private var debugger: UInt16? {
        let file = FilePath(profile).appending("DevToolsActivePort")
        let text = PrivateDirectory.contents(of: file, limit: 1024).map { String(decoding: $0, as: UTF8.self) }
        return text?.split(separator: "\n").first.flatMap { UInt16($0) }
    }

    /// Lends the only window, which then closes by itself.
    package func withWindow(_ body: (StudioWindow) throws -> Void) throws {
        try wait("Chromium") { isOpen }
        let debugger = try #require(debugger)
        // Chromium cannot be driven while it goes from the private file to the page.
        try wait("the page") {
            let listed = try? HTTPExchange.ask(
                port: debugger, method: "GET", path: "/json/list", content: [],
                deadline: MonotonicClock.now() + 10_000_000_000)
            return String(decoding: listed?.content ?? [], as: UTF8.self).contains(#""url": "http://"#)
        }
        let browser = try Browser(
            attachedTo: debugger, environment: ProcessEnvironment.merging(place.environment, environment))
        defer { browser.end() }
        try body(StudioWindow(browser: browser))
        try wait("the window to close by itself") { !place.processes().contains { $0.contains(profile) } }
        // The next window's Chromium has another port.
        _ = unlink("\(profile)/DevToolsActivePort")
    }
}

extension StudioWindow {
    /// Begins a take, for which the window goes. On a desktop where nothing but the menu leads back, the window asks first.
    package func recordHidden(isLive: Bool = false) throws {
        #expect(try isIdle())
        try skipCountdown()
        if isLive { try turn("Stream live") }
        try click(isLive ? "Go live" : "Record")
        try clickLast("This window is hidden")
    }

    /// Closes the window: a browser that is closed gives no answer.
    package func close() throws {
        let _: Bool = try browser.run("setTimeout(() => window.close(), 100); return true")
    }

    /// Clicks on the button with this label, which closes the window: a browser that is closed gives no answer.
    package func clickLast(_ label: String) throws {
        let isThere =
            "[...document.querySelectorAll('button')].find((one) => one.textContent === '\(label)' && !one.disabled)"
        let isShown = try browser.wait(until: "return Boolean(\(isThere))")
        let page: String = isShown ? "" : try browser.run("return document.body.innerText")
        #expect(isShown, "\(page)")
        let _: Bool = try browser.run("setTimeout(() => \(isThere).click(), 100); return true")
    }
}
