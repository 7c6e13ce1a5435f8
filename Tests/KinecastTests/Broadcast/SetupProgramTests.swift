// Setup programs as processes: a good one, and those that hang, crash, talk nonsense or want what is not theirs.
import CoreTesting
import FoundationEssentials
import Glibc
import KineClient
import KineMeasure
import KinePlatform
import Synchronization
import Testing

@testable import Kinecast

@Suite(.tags(.real, .extensions)) struct SetupProgramTests {
    private let place: BroadcastPlace

    init() throws { place = try BroadcastPlace() }

    /// Chooses the service "guided", and answers each form with what is there for its fields.
    private final class Presenter: BroadcastPresenter {
        struct State {
            var forms: [BroadcastForm] = []
            var logins: [URL] = []
            var isLoginShown = false
            var cancelLogin: (@Sendable () -> Void)?
        }

        let state = Monitor(State())
        let answers: [String: String]
        /// Nobody answers until the task is cancelled.
        let isAway: Bool

        init(_ answers: [String: String] = [:], isAway: Bool = false) {
            self.answers = answers
            self.isAway = isAway
        }

        func chooseService(_ request: BroadcastRequest) async throws(BroadcastError) -> BroadcastChoice {
            BroadcastChoice(service: "guided", isMicrophoneEnabled: false)
        }

        func fillIn(_ form: BroadcastForm) async throws(BroadcastError) -> [String: String] {
            state.signal { $0.forms.append(form) }
            if isAway {
                guard await Promise<Void>().value() != nil else { throw .cancelled }
            }
            let keys = form.fields.map(\.key)
            return answers.filter { keys.contains($0.key) }
        }

        func showLogin(_ address: URL, for service: BroadcastService, cancel: @escaping @Sendable () -> Void) {
            state.signal {
                $0.logins.append(address)
                $0.isLoginShown = true
                $0.cancelLogin = cancel
            }
        }

        func hideLogin() { state.signal { $0.isLoginShown = false } }
        func close() {}
    }

    private func picker(_ presenter: Presenter, _ limits: SetupLimits = SetupLimits()) -> BroadcastPicker {
        BroadcastPicker(
            app: place.app, presenter: presenter, locator: place.locator, setupLimits: limits,
            environment: place.environment)
    }

    /// Waits until no setup program of this place is left.
    private func waitForTheirEnd() async throws {
        try await wait(for: "the setup program's end") {
            !PrivateDirectory.entries("/proc").contains { pid in
                Int32(pid) != nil
                    && (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe"))
                        == place.folder.file("guided.kinext/setup")
            }
        }
    }

    private func error(_ mode: String, limits: SetupLimits = SetupLimits()) async throws -> BroadcastError {
        try place.installGuided(mode)
        let error = await #expect(throws: BroadcastError.self) {
            try await picker(Presenter(["key": "w_hush-hush"]), limits).present()
        }
        try await waitForTheirEnd()
        return try #require(error)
    }

    @Test func `a program asks twice, and what it returns is broadcast with`() async throws {
        try place.installGuided("good")
        let presenter = Presenter(["key": "w_hush-hush", "count": "3"])
        let controller = try await picker(presenter).present()
        let forms = presenter.state.withLock { $0.forms }
        #expect(forms.map(\.message) == ["Where is the key?", nil])
        #expect(forms.map { $0.fields.map(\.key) } == [["key"], ["count"]] && forms[0].fields[0].isSecret)
        #expect(controller.broadcastURL?.absoluteString == "https://example.org/watch/\(place.app.identifier)")
        try await waitForTheirEnd()
        controller.scope = .virtual(PixelSize(width: 320, height: 240))
        try await controller.startBroadcast(countdown: 0)
        let told = try #require(controller.destinations.first)
        #expect(told.service == "guided")
        try await controller.finishBroadcast()
    }

    /// It leaves out `showLogin`.
    private final class PlainPresenter: BroadcastPresenter {
        let form = Promise<BroadcastForm>()

        func chooseService(_ request: BroadcastRequest) async throws(BroadcastError) -> BroadcastChoice {
            BroadcastChoice(service: "guided")
        }

        func fillIn(_ form: BroadcastForm) async throws(BroadcastError) -> [String: String] {
            self.form.fulfil(form)
            return ["open": "no"]
        }

        func close() {}
    }

    @Test func `a presenter without a login of its own asks before the browser opens, and no cancels`() async throws {
        try place.installGuided("login", network: "connect")
        let presenter = PlainPresenter()
        let picker = BroadcastPicker(
            app: place.app, presenter: presenter, locator: place.locator, environment: place.environment)
        let error = await #expect(throws: BroadcastError.self) { try await picker.present() }
        #expect(error?.code == .cancelled)
        let form = try #require(await presenter.form.value())
        #expect(form.fields.map(\.title) == ["Open example.org in the browser"])
        #expect(form.message?.contains("https://example.org/device?code=ABCD") == true)
        try await waitForTheirEnd()
    }

    @Test func `a login is shown, and hidden when the program goes on`() async throws {
        try place.installGuided("login", network: "connect")
        let presenter = Presenter(["count": "1"])
        _ = try await picker(presenter).present()
        let state = presenter.state.withLock { $0 }
        #expect(state.logins.map(\.absoluteString) == ["https://example.org/device?code=ABCD"] && !state.isLoginShown)
        #expect(state.forms.count == 1)
    }

    @Test(arguments: [
        ("login", "wants a login, and its manifest has no network"), ("crash", "has crashed"),
        ("crashInQuestion", "has crashed"), ("garbage", "sent an invalid message"), ("huge", "sent an invalid message"),
        ("twoQuestions", "spoke before its question was answered"), ("quiet", "ended without a result"),
        ("steal", "returned a value of its own for cert"),
    ])
    func `a bad program is refused in words, and no process of it is left`(mode: String, words: String) async throws {
        // In some of these nobody may answer before the fault comes.
        try place.installGuided(mode)
        let isAway = ["crashInQuestion", "twoQuestions"].contains(mode)
        let error = await #expect(throws: BroadcastError.self) {
            try await picker(Presenter(["key": "w_hush-hush"], isAway: isAway)).present()
        }
        #expect(error?.code == .setupFailed)
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        #expect(error?.message.hasPrefix("The setup of Guided ") == true)
        try await waitForTheirEnd()
    }

    @Test(arguments: ["hang", "hangAfterAnswer"]) func `one that hangs is ended`(mode: String) async throws {
        var limits = SetupLimits()
        limits.answer = 1_000_000_000
        let error = try await error(mode, limits: limits)
        #expect(error.code == .setupFailed && error.message.contains("did not answer for 1 second;"))
    }

    @Test func `its own refusal is told without the secret that was typed`() async throws {
        let error = try await error("refuse")
        #expect(error.code == .setupFailed && error.message.contains("The key … is not known; get another"))
    }

    @Test func `a question too long to be sent ends the setup with the reason`() async throws {
        let error = try await error("long")
        #expect(error.code == .setupFailed && error.message.contains("A control message cannot be sent"))
    }

    @Test func `what it returns has to fit the manifest, or is named by its field`() async throws {
        let error = try await error("wrongKey")
        #expect(error.code == .invalidField && error.field == "key")
    }

    @Test func `a person who cancels ends the program`() async throws {
        try place.installGuided("login", network: "connect")
        let presenter = Presenter(isAway: true)
        let picking = Task { try await picker(presenter).present() }
        try await wait(for: "a form") { presenter.state.withLock { !$0.forms.isEmpty } }
        picking.cancel()
        let error = await #expect(throws: BroadcastError.self) { try await picking.value }
        #expect(error?.code == .cancelled)
        try await waitForTheirEnd()
    }

    @Test func `it cannot have a person name a file by an empty line`() async throws {
        try place.installGuided("persuade")
        let presenter = Presenter()
        let controller = try await picker(presenter).present()
        #expect(presenter.state.withLock { $0.forms.map { $0.fields.map(\.title) } } == [["Certificate"]])
        #expect(controller.setup?.info["cert"] == nil)
    }

    @Test func `it sees no display, no session and no files of the user's`() async throws {
        try place.installGuided("lookAround")
        let run = SetupRun(
            try await place.service("guided"),
            program: try #require(try await place.service("guided").service.setupProgram), app: place.app,
            limits: SetupLimits(), environment: place.environment + ["DISPLAY=:7", "PULSE_SERVER=unix:/p"])
        let outcome = try await run.run(Presenter())
        #expect(outcome.info["link"] == "nothing")
    }
}
