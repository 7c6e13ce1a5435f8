// A real browser, driven by W3C WebDriver: what a person sees on the live page, asked by a program.
import CLinux
import FoundationEssentials
import Glibc
import KinePlatform
import SystemPackage

/// A running browser without a window. Blocks while it is asked something. Call `end` when done; it also dies with the
/// thread that made it.
public final class Browser {
    public enum Kind: Sendable, CaseIterable {
        case chromium, firefox
        /// WebKitGTK's MiniBrowser. It needs a display in its environment.
        case webKit
    }

    /// A line of the page's console.
    public struct LogEntry: Decodable, Sendable {
        /// SEVERE, WARNING, INFO …
        public var level: String
        public var message: String
    }

    public enum Error: Swift.Error, CustomStringConvertible {
        /// What the driver or the page's script complained of.
        case refused(String)
        case noAnswer(String)

        public var description: String {
            switch self {
            case .refused(let text): "The browser refused: \(text)"
            case .noAnswer(let text): "The browser did not answer: \(text)."
            }
        }
    }

    private enum Transport {
        case http(BrowserDriver)
        /// Firefox itself.
        case marionette(Marionette)
    }

    private let process: ChildProcess
    private let transport: Transport
    private let folder: TemporaryDirectory
    var session = ""

    /// Starts the driver and the browser.
    /// - Parameters:
    ///   - arguments: for the browser, besides those that it needs here.
    ///   - environment: where its audio server is, and its display if it has one.
    public convenience init(_ kind: Kind = .chromium, arguments: [String] = [], environment: [String]) throws {
        try self.init(kind, arguments, debugger: nil, environment)
    }

    /// Drives a Chromium that runs already, and outlives this object.
    /// - Parameters:
    ///   - debugger: its port for debugging.
    ///   - environment: as above.
    public convenience init(attachedTo debugger: UInt16, environment: [String]) throws {
        try self.init(.chromium, [], debugger: debugger, environment)
    }

    private init(_ kind: Kind, _ arguments: [String], debugger: UInt16?, _ environment: [String]) throws {
        folder = try TemporaryDirectory()
        // What the browser leaves behind when it is killed goes with the folder.
        let environment = ProcessEnvironment.merging(
            environment, ["TMPDIR=\(folder.path)", "HOME=\(folder.path)"])
        let capabilities: Capabilities
        switch kind {
        case .chromium:
            let driver = try BrowserDriver.chromedriver(environment)
            (process, transport) = (driver.process, .http(driver))
            capabilities =
                try debugger.map(Capabilities.chromium)
                ?? .chromium(profile: folder.file("profile"), arguments)
        case .webKit:
            let driver = try BrowserDriver.webKitWebDriver(environment)
            (process, transport) = (driver.process, .http(driver))
            capabilities = try .webKit(arguments)
        case .firefox:
            let marionette: Marionette
            (process, marionette) = try Marionette.start(profile: folder.file("profile"), arguments, environment)
            transport = .marionette(marionette)
            capabilities = .firefox
        }
        struct Created: Decodable { var sessionId: String }
        do {
            let created: Created = try ask("POST", "/session", ["capabilities": ["alwaysMatch": capabilities]])
            session = "/session/\(created.sessionId)"
        } catch {
            end()
            throw error
        }
    }

    /// Opens a page and waits until it is loaded.
    public func open(_ address: String) throws { try tell("/url", ["url": address]) }

    /// Runs a script's body in the page and returns what it returns.
    public func run<Value: Decodable>(_ script: String) throws -> Value {
        try ask("POST", session + "/execute/sync", Script(script: script))
    }

    /// Runs a script's body that calls its last argument with its result, within `seconds`.
    public func runUntilDone<Value: Decodable>(_ script: String, seconds: Double) throws -> Value {
        try tell("/timeouts", ["script": Int(seconds * 1000)])
        return try ask("POST", session + "/execute/async", Script(script: script), seconds: seconds + 10)
    }

    /// Runs a script's body again and again until it returns true; false when `seconds` are over, which only a failure waits for.
    public func wait(seconds: Double = 60, until script: String) throws -> Bool {
        let body = """
            const done = arguments[0], end = performance.now() + \(seconds * 1000);
            const ask = () => { \(script) };
            const look = () => {
                if (ask()) done(true); else if (performance.now() > end) done(false); else setTimeout(look, 20);
            };
            look();
            """
        guard try !runUntilDone(body, seconds: seconds + 5) else { return true }
        let page: String = try run(Self.state)
        print("This never became true: \(script)\nThe page is then: \(page)")
        return false
    }

    /// How a page of ours stands, printed when a wait was in vain.
    private static let state = """
        const video = document.querySelector("video");
        const buffered = video?.buffered;
        const ranges = Array.from({ length: buffered?.length ?? 0 }, (_, index) => [buffered.start(index), buffered.end(index)]);
        return JSON.stringify({
            ...document.body.dataset, facts: document.getElementById("facts")?.textContent, hidden: document.hidden,
            currentTime: video?.currentTime, readyState: video?.readyState, paused: video?.paused, muted: video?.muted,
            seeking: video?.seeking, rate: video?.playbackRate, ranges, lost: window.lost,
            text: document.body.innerText.slice(0, 1000),
        });
        """

    /// Clicks on the first element that a selector finds, as a person does.
    public func click(_ selector: String) throws {
        // It may be behind something that stays at the window's end.
        let _: Bool = try run(
            "document.querySelector(\(Self.quoted(selector)))?.scrollIntoView({ block: 'center' }); return true;")
        try tell("/element/\(element(selector))/click", [:] as [String: String])
    }

    /// WebDriver's name for the first element that a selector finds.
    func element(_ selector: String) throws -> String {
        let found: [String: String] = try ask(
            "POST", session + "/element", ["using": "css selector", "value": selector])
        guard let id = found.values.first else { throw Error.refused("there is no \(selector)") }
        return id
    }

    /// Presses the keys of a text, one after the other, with the focus where it is. WebDriver has letters for keys without one.
    public func type(_ text: String) throws {
        struct Step: Encodable {
            var type: String
            var value: String
        }
        struct Keyboard: Encodable {
            var type = "key"
            var id = "keyboard"
            var actions: [Step]
        }
        let steps = text.map(String.init).flatMap { key in
            ["keyDown", "keyUp"].map { Step(type: $0, value: key) }
        }
        try tell("/actions", ["actions": [Keyboard(actions: steps)]])
    }

    /// Drags the mouse from the middle of the first element that a selector finds, by so many CSS pixels.
    public func drag(_ selector: String, x: Int, y: Int) throws {
        struct Step: Encodable {
            var type: String
            var x: Int?
            var y: Int?
            var button: Int?
            var duration: Int?
        }
        struct Mouse: Encodable {
            var type = "pointer"
            var id = "mouse"
            var actions: [Step]
        }
        let middle: [Double] = try run(
            """
            const element = document.querySelector(\(Self.quoted(selector)));
            element.scrollIntoView({ block: "center" });
            const { left, top, width, height } = element.getBoundingClientRect();
            return [left + width / 2, top + height / 2];
            """)
        let (left, top) = (Int(middle[0]), Int(middle[1]))
        let steps = [
            Step(type: "pointerMove", x: left, y: top, duration: 0), Step(type: "pointerDown", button: 0),
            Step(type: "pointerMove", x: left + x / 2, y: top + y / 2, duration: 20),
            Step(type: "pointerMove", x: left + x, y: top + y, duration: 20), Step(type: "pointerUp", button: 0),
        ]
        try tell("/actions", ["actions": [Mouse(actions: steps)]])
    }

    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "\\'"))'" }

    /// Makes every page run this script before its own ones. Only Chromium can do this.
    public func runBeforePages(_ script: String) throws {
        struct Command: Encodable {
            var cmd = "Page.addScriptToEvaluateOnNewDocument"
            var params: [String: String]
        }
        try tell("/goog/cdp/execute", Command(params: ["source": script]))
    }

    /// The lines that the console got since the last call. Only Chromium can do this.
    public func log() throws -> [LogEntry] { try ask("POST", session + "/se/log", ["type": "browser"]) }

    /// Ends browser and driver.
    public func end() {
        if !session.isEmpty { _ = try? ask("DELETE", session, nil as Script?) as Nothing }
        process.signalGroup(SIGTERM)
        _ = WakeSignal.poll([process.exitDescriptor], until: MonotonicClock.now() + 3_000_000_000)
        // Before it is reaped, no other group can have its number.
        process.signalGroup(SIGKILL)
        _ = process.wait()
        if case .http(let driver) = transport { try? driver.output?.close() }
    }

    private struct Script: Encodable {
        var script: String
        var args: [String] = []
    }

    private struct Capabilities: Encodable {
        var browserName: String?
        var logs: [String: String]?
        var chromium: Program?
        var webKit: Program?

        struct Program: Encodable {
            var binary: String?
            var args: [String] = []
            var debuggerAddress: String?
        }

        enum CodingKeys: String, CodingKey {
            case browserName
            case logs = "goog:loggingPrefs"
            case chromium = "goog:chromeOptions"
            case webKit = "webkitgtk:browserOptions"
        }

        static let firefox = Capabilities()

        static func webKit(_ arguments: [String]) throws -> Capabilities {
            Capabilities(
                browserName: "MiniBrowser",
                webKit: Program(binary: try BrowserDriver.miniBrowser(), args: ["--automation"] + arguments))
        }

        static func chromium(debugger: UInt16) -> Capabilities {
            Capabilities(
                browserName: "chrome", logs: ["browser": "ALL"],
                chromium: Program(debuggerAddress: "127.0.0.1:\(debugger)"))
        }

        static func chromium(profile: String, _ arguments: [String]) throws -> Capabilities {
            Capabilities(
                browserName: "chrome", logs: ["browser": "ALL"],
                chromium: Program(
                    binary: try Tool.path(of: "chromium"),
                    args: [
                        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
                        "--window-size=1400,900", "--user-data-dir=\(profile)",
                    ] + arguments))
        }
    }

    private struct Answer<Value: Decodable>: Decodable { var value: Value }
    private struct Complaint: Decodable { var message: String }
    /// A value that nobody looks at.
    private struct Nothing: Decodable { init(from decoder: any Decoder) throws {} }

    func tell(_ path: String, _ body: some Encodable) throws {
        _ = try ask("POST", session + path, body) as Nothing
    }

    func ask<Value: Decodable>(
        _ method: String, _ path: String, _ body: (some Encodable)?, seconds: Double = 300
    ) throws -> Value {
        let deadline = MonotonicClock.now() + Int64(seconds * 1e9)
        switch transport {
        case .marionette(let marionette): return try marionette.ask(method, path, body, deadline: deadline)
        case .http(let driver):
            let content = try body.map { Array(try JSONEncoder().encode($0)) } ?? []
            let (status, answer) = try HTTPExchange.ask(
                port: driver.port, method: method, path: path, content: content, deadline: deadline)
            guard status == 200 else {
                let complaint = try? JSONDecoder().decode(Answer<Complaint>.self, from: Data(answer))
                throw Error.refused(complaint?.value.message ?? "status \(status)")
            }
            return try JSONDecoder().decode(Answer<Value>.self, from: Data(answer)).value
        }
    }
}
