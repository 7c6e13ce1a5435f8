// The studio when something goes another way than a person expects: engines that die or are of another version, takes that
// others end, many windows, and another user's server.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineTakes
import KineWire
import SystemPackage
import Testing

@Suite(.tags(.real, .programs, .long)) struct StudioFaultTests {
    private static let configuration = "[record]\naudio = none\n"

    @Test(.tags(.endurance))
    func `an engine that is killed is reported in one sentence with a remedy, and its take goes`() throws {
        try RunningStudio.with(configuration: Self.configuration) { studio in
            try studio.withWindow { window in
                let file = studio.place.path("a.mp4")
                let take = try studio.place.start("record", file, "--pattern", "320x240", "--json")
                try take.recorded(1)
                #expect(try window.shows("Recording"))
                try killEngine(studio, window, "if \(file) does not play, kinecast recover \(file) finishes it.")
                #expect(try take.wait().status == ExitStatus.engineDied)
                // The same with a recording that the page has begun.
                try window.click("Record")
                #expect(try window.shows("Recording"))
                try killEngine(studio, window, "finishes it.")
                try window.click("Record")
                #expect(try window.shows("Recording"))
                try window.endTake()
                #expect(try window.notes("Saved"))
            }
        }
    }

    /// Kills the engine of the only take. The page shows a sentence with that end.
    private func killEngine(_ studio: RunningStudio, _ window: StudioWindow, _ end: String) throws {
        kill(try studio.place.registry().find(nil).pid, SIGKILL)
        #expect(try window.isIdle())
        #expect(try window.notes("The engine ended unexpectedly; if "))
        let problem: String = try window.browser.run("return document.getElementById('problem').textContent")
        #expect(problem.hasPrefix("The engine ended unexpectedly; if ") && problem.hasSuffix(end), "\(problem)")
        #expect(try window.browser.run("return document.querySelectorAll('.take').length === 0"))
    }

    @Test func `a take that a terminal ends goes from the page, with its file`() throws {
        try RunningStudio.with { studio in
            try studio.withWindow { window in
                let take = try studio.place.start("record", "a.mp4", "--pattern", "320x240", "--json")
                try take.recorded(1)
                #expect(try window.shows("Recording"))
                #expect(try studio.place.run("stop").status == 0)
                #expect(try window.isIdle())
                #expect(try window.notes("Saved 0:0"))
                #expect(try window.browser.run("return document.getElementById('problem').hidden"))
                #expect(try take.wait().status == 0)
            }
        }
    }

    @Test func `a take of another version is shown, and can only be ended`() throws {
        try RunningStudio.with { studio in
            let engine = try LaterEngine(studio.place.registry())
            defer { engine.end() }
            try studio.withWindow { window in
                #expect(try window.shows("Recording"))
                let buttons: [String] = try window.browser.run(
                    """
                    return [...document.querySelectorAll(".take button")]
                        .filter((button) => button.checkVisibility()).map((button) => button.textContent);
                    """)
                #expect(buttons == ["Stop"])
                try window.endTake()
                #expect(try window.notes("Saved 0:0"))
                #expect(try window.isIdle())
                #expect(try window.browser.run("return document.getElementById('problem').hidden"))
            }
        }
    }

    @Test(.tags(.endurance))
    func `twenty windows show the same, and leave nothing in the server when they close`() throws {
        try RunningStudio.with(configuration: Self.configuration) { studio in
            let server = studio.program.process.pid
            let descriptors = descriptors(of: server)
            try studio.withWindow { window in
                #expect(try window.isIdle())
                let memory = ProcFiles.anonymousBytes(of: server)
                var tabs = [try window.browser.openTab()]
                for _ in 1..<20 {
                    let link = try studio.newLink()
                    try window.browser.open("\(link.base)#\(link.token)")
                    tabs.append(try window.browser.openTab())
                }
                func click(_ button: String, in tab: Int, shows state: String) throws {
                    try window.browser.selectTab(tabs[tab])
                    try window.click(button)
                    for tab in tabs {
                        try window.browser.selectTab(tab)
                        #expect(try window.shows(state), "after \(button), tab \(tab)")
                    }
                }
                try click("Record", in: 0, shows: "Recording")
                try click("Pause", in: 19, shows: "Paused")
                try window.browser.selectTab(tabs[7])
                try window.endTake()
                // An empty tab stays.
                for tab in tabs {
                    try window.browser.selectTab(tab)
                    #expect(try window.isIdle(), "tab \(tab)")
                    try window.browser.closeTab()
                }
                try wait("the server's descriptors to go") { self.descriptors(of: server) <= descriptors }
                #expect(ProcFiles.anonymousBytes(of: server) <= memory + 16 << 20)
            }
        }
    }

    private func descriptors(of process: Int32) -> Int {
        PrivateDirectory.entries(FilePath("/proc/\(process)/fd")).count
    }

    @Test(.tags(.endurance))
    func `a connection without a request is closed, so that others cannot take them all for long`() throws {
        try RunningStudio.with { studio in
            let connection = try Loopback.connect(to: Int(studio.port))
            defer { try? connection.close() }
            let end = MonotonicClock.now() + RunningKinecast.timeout
            #expect(WakeSignal.poll([connection.rawValue], until: end) == [true])
            var byte: UInt8 = 0
            #expect(read(connection.rawValue, &byte, 1) == 0)
        }
    }

    @Test func `servers of two users run at once, and neither accepts the other's cookie, key or link`() throws {
        try RunningStudio.with { first in
            try RunningStudio.with { second in
                #expect(first.port != second.port)
                let sessions = [try first.openSession(), try second.openSession()]
                for (studio, own, other) in [(first, sessions[0], sessions[1]), (second, sessions[1], sessions[0])] {
                    // Browsers send the cookies of both.
                    let both = own[0] + "; " + other[0].dropFirst("Cookie: ".count)
                    for (headers, status) in [
                        (own, 200), ([both, own[1]], 200), (other, 401), ([both, other[1]], 401),
                        ([own[0], other[1]], 401), ([other[0], own[1]], 401),
                    ] {
                        let answer = try studio.ask("GET", "/api/takes", "", headers)
                        #expect(answer.status == status, "\(headers)")
                    }
                    let foreign = try (studio.port == first.port ? second : first).newLink()
                    let opened = try studio.ask("POST", "/api/session", #"{"token":"\#(foreign.token)"}"#)
                    #expect(opened.status == 403)
                }
                // A take of one user is not the other's.
                let take = try first.place.start("record", "a.mp4", "--pattern", "320x240", "--json")
                try take.recorded(1)
                try wait("the take in the list") {
                    try first.ask("GET", "/api/takes", "", sessions[0]).text.contains("\"recording\"")
                }
                #expect(try second.ask("GET", "/api/takes", "", sessions[1]).text == "[]")
                #expect(try first.place.run("stop").status == 0)
                #expect(try take.wait().status == 0)
            }
        }
    }
}

/// The engine of a take whose protocol has another number. It serves on its own thread until the take is stopped.
private final class LaterEngine: Sendable {
    private struct Request: ControlMessage, Decodable {
        static var protocolNumber: Int? { ControlProtocol.number + 1 }
        let message: ClientMessage

        init(from decoder: any Decoder) throws { message = try ClientMessage(from: decoder) }
    }

    private typealias Client = ControlConnection<Request, EngineMessage>

    private let wake = WakeSignal()
    private let thread: DedicatedThread

    init(_ registry: TakeRegistry) throws {
        let registration = try registry.register(output: "/tmp/later.mp4", source: "pattern")
        thread = try DedicatedThread(starting: "later-engine") { [wake] in
            Self.serve(registration, until: wake)
            registration.unregister()
        }
    }

    /// Ends the thread, also if the take was not stopped.
    func end() {
        wake.signal()
        thread.join()
    }

    private static func serve(_ registration: Registration, until end: WakeSignal) {
        var clients: [Client] = []
        var progress = TakeProgress()
        progress.duration = .seconds(3)
        let record = registration.record
        while true {
            let waiting = [end.descriptor, registration.listener.descriptor.rawValue]
            let ready = WakeSignal.poll(waiting + clients.map(\.descriptor.rawValue), until: nil)
            if ready[0] { return }
            clients += registration.listener.acceptWaiting(as: Client.self).connections
            for client in clients {
                for request in (try? client.readAvailable()) ?? [] {
                    switch request.message.request {
                    case .status:
                        let status = TakeStatus(
                            id: record.id, phase: .recording, output: record.output, source: record.source,
                            progress: progress)
                        try? client.send(.answer(id: request.message.id, .success(.status(status))))
                    case .stop:
                        let summary = TakeSummary(
                            output: record.output, size: PixelSize(width: 320, height: 240), progress: progress,
                            reason: "stopped")
                        for client in clients { try? client.send(.event(.finished(summary))) }
                        return
                    default:
                        try? client.send(
                            .answer(
                                id: request.message.id, .failure(Refusal(.otherVersion, "It is of another version."))))
                    }
                }
            }
            clients.removeAll(where: \.isClosed)
        }
    }
}
