// An app's picker in a window of the studio, in a real browser.
import CoreTesting
import FoundationEssentials
import KineClient
import KineMeasure
import KinePlatform
import KineTakes
import KineWire
import ProcessTesting
import Testing

@testable import Kinecast

@Suite(.tags(.real, .extensions, .programs)) struct StudioPresenterTests {
    private typealias Outcome = Result<BroadcastController, BroadcastError>

    private let place: BroadcastPlace

    init() throws { place = try BroadcastPlace() }

    /// An app on the studio's desktop, whose windows the test opens.
    private final class App: Sendable {
        let presenter: StudioPresenter
        let desktop: StudioDesktop
        private let windows: TestStudioDesktop
        private let picker: BroadcastPicker

        init(_ place: BroadcastPlace, _ studio: RunningStudio, service: String? = nil) throws {
            windows = try TestStudioDesktop(studio, place.locator)
            desktop = windows.desktop
            presenter = StudioPresenter(desktop)
            picker = BroadcastPicker(
                app: place.app, presenter: presenter, locator: place.locator, environment: place.environment)
            picker.preferredService = service
        }

        func present() -> Monitor<Outcome?> {
            let (outcome, picker) = (Monitor<Outcome?>(nil), picker)
            Task {
                do throws(BroadcastError) {
                    let controller = try await picker.present()
                    outcome.signal { $0 = .success(controller) }
                } catch {
                    outcome.signal { $0 = .failure(error) }
                }
            }
            return outcome
        }

        /// Opens the next window.
        func open(in window: StudioWindow) throws { try windows.open(in: window) }
    }

    private func error(_ outcome: Monitor<Outcome?>) -> BroadcastError? {
        guard case .failure(let error) = outcome.wait(for: { $0 }) else { return nil }
        return error
    }

    private static func shows(_ words: String, _ window: StudioWindow) throws -> Bool {
        try window.browser.wait(until: "return document.body.innerText.includes('\(words)')")
    }

    private static func fill(_ number: Int, with value: String, _ window: StudioWindow) throws {
        let _: Bool = try window.browser.run(
            """
            const input = document.getElementById("field-\(number)");
            input.value = "\(value)";
            return input.dispatchEvent(new Event("input"));
            """)
    }

    @Test func `a service is chosen and set up, a login is opened by a click alone, and each end is shown`()
        async throws
    {
        try place.installGuided("login", network: "connect")
        let service = try await place.service("guided")
        try RunningStudio.with { studio in
            try studio.withWindow { window in
                try chooses(in: window, App(place, studio))
                try logsIn(to: service, in: window, App(place, studio, service: "guided"))
                try ends(in: window, App(place, studio))
            }
        }
    }

    /// Chooses the witness and fills in its fields.
    private func chooses(in window: StudioWindow, _ app: App) throws {
        let outcome = app.present()
        try app.open(in: window)
        #expect(try Self.shows("Test app wants to broadcast", window))
        try window.expectAccessible("choosing")
        try window.check("With the microphone")
        let _: Bool = try window.browser.run("document.querySelector('[value=witness]').click(); return true;")
        try window.click("Continue")
        #expect(try Self.shows("Settings of Witness", window))
        #expect(
            try window.browser.wait(
                until: """
                    const key = document.querySelector("#field-0");
                    return key?.type === "text" && getComputedStyle(key).webkitTextSecurity === "disc";
                    """))
        try Self.fill(2, with: "9", window)
        #expect(try Self.shows("Count has to be a number from 1 to 5.", window))
        try window.click("Continue")
        #expect(try Self.shows("Key must be given.", window))
        try window.expectAccessible("filling in")
        try Self.fill(0, with: "w_1234567", window)
        try Self.fill(2, with: "2", window)
        try window.click("Continue")
        guard case .success(let controller) = outcome.wait(for: { $0 }) else {
            Issue.record("\(outcome.withLock { $0.debugDescription })")
            return
        }
        #expect(controller.extensionIdentifier == "witness" && controller.isMicrophoneEnabled)
        #expect(controller.setup?.info["key"] == "w_1234567" && controller.setup?.info["quality"] == "low")
        Task { await app.presenter.showCountdown(3) {} }
        #expect(try Self.shows("The broadcast begins in", window))
        try window.expectAccessible("counting down")
        app.presenter.close()
        #expect(try Self.shows("This window can be closed.", window))
        try window.expectAccessible("done")
    }

    /// The fixture's program asks for a login at once, and then a question.
    private func logsIn(to service: BroadcastService, in window: StudioWindow, _ app: App) throws {
        try window.browser.runBeforePages(
            "window.opened = []; window.open = (...values) => opened.push(values.join(' '));")
        let outcome = app.present()
        try app.open(in: window)
        try window.click("Continue")
        #expect(try Self.shows("Settings of Guided", window))
        try window.click("Cancel")
        #expect(error(outcome)?.code == .cancelled)

        Task {
            let address = URL(string: "https://example.org/device?code=ABCD")
            if let address { await app.presenter.showLogin(address, for: service) {} }
        }
        try app.open(in: window)
        #expect(try Self.shows("https://example.org/device?code=ABCD", window))
        try window.expectAccessible("logging in")
        let early: [String] = try window.browser.run("return opened")
        #expect(early == [])
        try window.click("Open example.org")
        let address: [String] = try window.browser.run("return opened")
        #expect(address == ["https://example.org/device?code=ABCD _blank noopener"])
        app.presenter.close()
    }

    /// A process that is killed says no more.
    private func ends(in window: StudioWindow, _ app: App) throws {
        let (connection, link) = try app.desktop.present(SheetApp(identifier: "a", name: "Brief"))
        try window.browser.open(link.address)
        #expect(try Self.shows("Waiting for Brief", window))
        connection.close()
        #expect(try Self.shows("Brief has ended. This window can be closed.", window))
    }

    @Test func `a service that needs nothing begins at once, and its settings are one click away`() throws {
        try RunningStudio.with { studio in
            let app = try App(place, studio, service: "live")
            try studio.withWindow { window in
                // An app's window of Chromium's.
                try window.browser.runBeforePages(
                    """
                    window.sizes = [];
                    window.resizeTo = (...size) => sizes.push(size);
                    const usual = window.matchMedia.bind(window);
                    window.matchMedia = (query) => query.includes("standalone") ? { matches: true } : usual(query);
                    """)
                let started = app.present()
                try app.open(in: window)
                #expect(try Self.shows("Using this service", window))
                #expect(try window.browser.run("return document.querySelector('.service ul') === null"))
                try window.expectAccessible("choosing a service that needs nothing")
                try window.click("Continue")
                guard case .success(let controller) = started.wait(for: { $0 }) else {
                    Issue.record("\(started.withLock { $0.debugDescription })")
                    return
                }
                #expect(controller.extensionIdentifier == "live" && controller.setup?.info == [:])
                app.presenter.close()

                let changed = app.present()
                try app.open(in: window)
                try window.click("Settings")
                #expect(try Self.shows("Settings of Live page", window))
                let height = "Math.min(document.body.offsetHeight + outerHeight - innerHeight, screen.availHeight)"
                #expect(try window.browser.wait(until: "return sizes.at(-1)?.[1] === \(height)"))
                // The only field that is not advanced.
                try Self.fill(0, with: "My screen", window)
                try window.click("Continue")
                guard case .success(let other) = changed.wait(for: { $0 }) else {
                    Issue.record("\(changed.withLock { $0.debugDescription })")
                    return
                }
                #expect(other.setup?.info["title"] == "My screen")
                app.presenter.close()
            }
        }
    }

    @Test func `Cancel, a closed window and a key during the countdown are the person's`() throws {
        try RunningStudio.with { studio in
            let app = try App(place, studio, service: "witness")
            try studio.withWindow { window in
                let cancelled = app.present()
                try app.open(in: window)
                try window.click("Cancel")
                #expect(error(cancelled)?.code == .cancelled)
                #expect(try Self.shows("Cancelled.", window))

                let closed = app.present()
                try app.open(in: window)
                try window.click("Continue")
                #expect(try Self.shows("Settings of Witness", window))
                try window.browser.open("about:blank")
                let error = error(closed)
                #expect(error?.code == .cancelled && error?.message.contains("closed") == true, "\(error as Any)")

                let chosen = app.present()
                try app.open(in: window)
                try window.click("Continue")
                #expect(try window.browser.wait(until: "return document.querySelector('#field-0') != null"))
                try Self.fill(0, with: "w_1234567", window)
                try window.click("Continue")
                guard case .success(let controller) = chosen.wait(for: { $0 }) else {
                    Issue.record("there is no controller")
                    return
                }
                let start = Monitor<BroadcastError??>(nil)
                Task {
                    do throws(BroadcastError) {
                        try await controller.startBroadcast(countdown: 600)
                        start.signal { $0 = .some(nil) }
                    } catch {
                        start.signal { $0 = error }
                    }
                }
                #expect(try window.browser.wait(until: "return document.querySelector('.count') != null"))
                let _: Bool = try window.browser.run(
                    "return document.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', cancelable: true })) || true"
                )
                #expect(start.wait(for: { $0 })??.code == .cancelled)
            }
        }
    }

    @Test(.tags(.browsers, .endurance), arguments: [KineMeasure.Browser.Kind.firefox, .webKit])
    func `a service is chosen and filled in, and a countdown is shown, in other browsers`(
        _ kind: KineMeasure.Browser.Kind
    ) throws {
        try RunningStudio.with { studio in
            let app = try App(place, studio)
            try studio.withWindow(kind) { window in
                let outcome = app.present()
                try app.open(in: window)
                #expect(try Self.shows("Test app wants to broadcast", window))
                let _: Bool = try window.browser.run("document.querySelector('[value=witness]').click(); return true;")
                try window.click("Continue")
                #expect(try window.browser.wait(until: "return document.querySelector('#field-0') != null"))
                try Self.fill(0, with: "w_1234567", window)
                try window.click("Continue")
                guard case .success(let controller) = outcome.wait(for: { $0 }) else {
                    Issue.record("\(outcome.withLock { $0.debugDescription })")
                    return
                }
                #expect(controller.setup?.info["key"] == "w_1234567")
                Task { await app.presenter.showCountdown(3) {} }
                #expect(try Self.shows("The broadcast begins in", window))
                app.presenter.close()
                #expect(try window.ends("This window can be closed."))
            }
        }
    }

    @Test func `where no studio runs its server is started, and a browser that fails is an error`() throws {
        try TestPlace.with { studio in
            let socket = try studio.registry().studioSocket
            let desktop = StudioDesktop(
                locator: EngineLocator(named: RunningKinecast.sibling("kinecast-engine")), hasDisplay: true,
                environment: studio.environment, socket: { socket },
                opener: { _ throws(BroadcastError) in throw BroadcastError(.noPresenter, "There is no browser.") })
            let outcome = Monitor<BroadcastError??>(nil)
            Task {
                let conversation = try? await StudioConversation.begin(
                    SheetApp(identifier: "a", name: "A"), on: desktop)
                let reply = await conversation?.ask(.waiting)
                outcome.signal { $0 = reply == .failed("There is no browser.") ? .some(nil) : .some(.cancelled) }
            }
            #expect(outcome.wait(for: { $0 }) == .some(nil))
            #expect(try studio.run("studio", "--quit").status == 0)
        }
    }

    @Test func `without a desktop or without a server, the error says what to do`() {
        let none = #expect(throws: BroadcastError.self) {
            try StudioDesktop(hasDisplay: false).present(SheetApp(identifier: "a", name: "A"))
        }
        #expect(none?.code == .noPresenter && none?.message.contains("terminal") == true)
        let locator = EngineLocator(named: nil, executable: nil, command: nil, systemPlaces: [])
        let missing = #expect(throws: BroadcastError.self) {
            try StudioDesktop(locator: locator, hasDisplay: true, socket: { "/nowhere/studio.sock" })
                .present(SheetApp(identifier: "a", name: "A"))
        }
        #expect(missing?.message.contains("install Kinecast completely") == true)
    }

    @Test(arguments: [(true, false, true), (true, true, false), (false, false, false), (false, true, false)])
    func `the studio is the usual presenter where there is a desktop and no terminal`(
        hasDisplay: Bool, hasTerminal: Bool, isStudio: Bool
    ) {
        let usual = UsualPresenter(hasDisplay: { hasDisplay }, hasTerminal: { hasTerminal })
        #expect((usual.presenter is StudioPresenter) == isStudio)
        #expect((usual.presenter is TerminalPresenter) != isStudio)
    }
}
