// A real browser, driven through chromedriver (W3C WebDriver): what a person sees on the live page, asked by a program.
import CLinux
import FoundationEssentials
import Glibc
import KinePlatform
import SystemPackage

/// A running Chromium without a window. Blocks while it is asked something. Call `end` when done; it also dies with the
/// thread that made it.
public final class Browser {
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

    private let driver: ChildProcess
    private let output: FileDescriptor
    private let folder: TemporaryDirectory
    private let port: UInt16
    private var session = ""

    /// Starts the driver and the browser.
    /// - Parameters:
    ///   - arguments: for Chromium, besides those that it needs here.
    ///   - environment: where its audio server is, and its display if it has one.
    public init(arguments: [String] = [], environment: [String]) throws {
        folder = try TemporaryDirectory()
        // What the browser leaves behind when it is killed goes with the folder.
        (driver, output, port) = try Self.startDriver(
            ProcessEnvironment.merging(environment, ["TMPDIR=\(folder.path)"]))
        let chromium = ChromeOptions(
            binary: try Tool.path(of: "chromium"),
            args: [
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
                "--window-size=1400,900", "--user-data-dir=\(folder.file("profile"))",
            ] + arguments)
        struct Created: Decodable { var sessionId: String }
        do {
            let created: Created = try ask(
                "POST", "/session", ["capabilities": ["alwaysMatch": Capabilities(options: chromium)]])
            session = "/session/\(created.sessionId)"
        } catch {
            end()
            throw error
        }
    }

    /// It takes a free port, and says which. Now and then it ends at once instead; it is started again then.
    private static func startDriver(
        _ environment: [String], attempts: Int = 3
    ) throws -> (ChildProcess, FileDescriptor, port: UInt16) {
        let pipe = try FileDescriptor.pipe()
        var options = ChildProcess.Options()
        options.descriptors = [nil, pipe.writeEnd, nil]
        options.parentDeathSignal = SIGTERM
        options.newProcessGroup = true
        let driver: ChildProcess
        do {
            defer { try? pipe.writeEnd.close() }
            driver = try ChildProcess(
                executable: try Tool.path(of: "chromedriver"), arguments: ["--port=0"], environment: environment,
                options: options)
        }
        let deadline = MonotonicClock.now() + Tool.patience
        var said: [String] = []
        while let line = Tool.readLine(pipe.readEnd, until: deadline) {
            said.append(line)
            guard line.contains("started successfully on port") else { continue }
            if let port = line.split(whereSeparator: { !$0.isNumber }).last.flatMap({ UInt16($0) }) {
                return (driver, pipe.readEnd, port)
            }
        }
        try? pipe.readEnd.close()
        let ending = driver.end(signal: SIGKILL, deadline: MonotonicClock.now())
        guard attempts > 1 else { throw Error.noAnswer("chromedriver did not say its port, \(ending): \(said)") }
        return try startDriver(environment, attempts: attempts - 1)
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
    public func wait(seconds: Double = 300, until script: String) throws -> Bool {
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
        });
        """

    /// Clicks on the first element that a selector finds, as a person does.
    public func click(_ selector: String) throws {
        let found: [String: String] = try ask(
            "POST", session + "/element", ["using": "css selector", "value": selector])
        guard let id = found.values.first else { throw Error.refused("there is no \(selector)") }
        try tell("/element/\(id)/click", [:] as [String: String])
    }

    /// Has a script run in every page before its own.
    public func runBeforePages(_ script: String) throws {
        struct Command: Encodable {
            var cmd = "Page.addScriptToEvaluateOnNewDocument"
            var params: [String: String]
        }
        try tell("/goog/cdp/execute", Command(params: ["source": script]))
    }

    /// What the console has said since the last call.
    public func log() throws -> [LogEntry] { try ask("POST", session + "/se/log", ["type": "browser"]) }

    /// A PNG of what the window shows.
    public func screenshot() throws -> [UInt8] {
        let text: String = try ask("GET", session + "/screenshot", nil as Script?)
        return Data(base64Encoded: text).map { Array($0) } ?? []
    }

    /// Ends browser and driver.
    public func end() {
        if !session.isEmpty { _ = try? ask("DELETE", session, nil as Script?) as Nothing }
        driver.signalGroup(SIGTERM)
        _ = WakeSignal.poll([driver.exitDescriptor], until: MonotonicClock.now() + 3_000_000_000)
        // Before it is reaped, the group's number is nobody else's.
        driver.signalGroup(SIGKILL)
        _ = driver.wait()
        try? output.close()
    }

    private struct Script: Encodable {
        var script: String
        var args: [String] = []
    }

    private struct ChromeOptions: Encodable {
        var binary: String
        var args: [String]
    }

    private struct Capabilities: Encodable {
        var options: ChromeOptions
        enum CodingKeys: String, CodingKey {
            case browserName
            case logs = "goog:loggingPrefs"
            case options = "goog:chromeOptions"
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode("chrome", forKey: .browserName)
            try container.encode(["browser": "ALL"], forKey: .logs)
            try container.encode(options, forKey: .options)
        }
    }

    private struct Answer<Value: Decodable>: Decodable { var value: Value }
    private struct Complaint: Decodable { var message: String }
    /// A value that nobody looks at.
    private struct Nothing: Decodable { init(from decoder: any Decoder) throws {} }

    private func tell(_ path: String, _ body: some Encodable) throws {
        _ = try ask("POST", session + path, body) as Nothing
    }

    private func ask<Value: Decodable>(
        _ method: String, _ path: String, _ body: (some Encodable)?, seconds: Double = 300
    ) throws -> Value {
        let content = try body.map { Array(try JSONEncoder().encode($0)) } ?? []
        let (status, answer) = try HTTPExchange.ask(
            port: port, method: method, path: path, content: content,
            deadline: MonotonicClock.now() + Int64(seconds * 1e9))
        guard status == 200 else {
            let complaint = try? JSONDecoder().decode(Answer<Complaint>.self, from: Data(answer))
            throw Error.refused(complaint?.value.message ?? "status \(status)")
        }
        return try JSONDecoder().decode(Answer<Value>.self, from: Data(answer)).value
    }
}
