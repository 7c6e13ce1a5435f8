// The picker, with a presenter that the test drives.
import CoreTesting
import FoundationEssentials
import KineClient
import KineMeasure
import Synchronization
import Testing

@testable import Kinecast

@Suite(.tags(.real, .extensions)) struct BroadcastPickerTests {
    /// Answers as the test says, when it says so.
    private final class Presenter: BroadcastPresenter {
        struct State {
            var presentations = 0
            var forms: [BroadcastForm] = []
            var requests: [BroadcastRequest] = []
            var closings = 0
        }

        let state = Mutex(State())
        let answer = Promise<Result<BroadcastChoice, BroadcastError>>()
        let values: [String: String]

        /// Given once a cancelled picker may close.
        let leave = Promise<Void>()
        let isSlowToLeave: Bool

        init(values: [String: String] = [:], isSlowToLeave: Bool = false) {
            self.values = values
            self.isSlowToLeave = isSlowToLeave
        }

        func choose(_ service: String, isMicrophoneEnabled: Bool = false) {
            answer.fulfil(.success(BroadcastChoice(service: service, isMicrophoneEnabled: isMicrophoneEnabled)))
        }

        func chooseService(_ request: BroadcastRequest) async throws(BroadcastError) -> BroadcastChoice {
            state.withLock {
                $0.presentations += 1
                $0.requests.append(request)
            }
            guard let answer = await answer.value() else {
                if isSlowToLeave { _ = await Task { await leave.value() }.value }
                throw .cancelled
            }
            return try answer.get()
        }

        func fillIn(_ form: BroadcastForm) async throws(BroadcastError) -> [String: String] {
            state.withLock { $0.forms.append(form) }
            return values
        }

        func close() { state.withLock { $0.closings += 1 } }
    }

    private let place: BroadcastPlace

    init() throws { place = try BroadcastPlace() }

    private func picker(_ presenter: Presenter) -> BroadcastPicker {
        BroadcastPicker(app: place.app, presenter: presenter, locator: place.locator)
    }

    private func outcome(of picker: BroadcastPicker) -> Task<Result<BroadcastController, BroadcastError>, Never> {
        Task {
            do throws(BroadcastError) {
                return .success(try await picker.present())
            } catch {
                return .failure(error)
            }
        }
    }

    private func wait(for callers: Int, of picker: BroadcastPicker) async throws {
        try await CoreTesting.wait(for: "\(callers) callers") { picker.callers == callers }
    }

    @Test func `asked a hundred times at once it is presented once, and all get the same controller`() async throws {
        let presenter = Presenter(values: ["key": "w_1"])
        let picker = picker(presenter)
        let callers = (0..<100).map { _ in outcome(of: picker) }
        try await wait(for: 100, of: picker)
        presenter.choose("witness")
        var controllers: Set<ObjectIdentifier> = []
        for caller in callers { controllers.insert(ObjectIdentifier(try await caller.value.get())) }
        #expect(controllers.count == 1)
        #expect(presenter.state.withLock { $0.presentations } == 1)
    }

    @Test func `asked a hundred times at once, all get the same error when the person cancels`() async throws {
        let presenter = Presenter()
        let picker = picker(presenter)
        let callers = (0..<100).map { _ in outcome(of: picker) }
        try await wait(for: 100, of: picker)
        presenter.answer.fulfil(.failure(.cancelled(by: "the test")))
        for caller in callers {
            guard case .failure(let error) = await caller.value else {
                Issue.record("there is a controller")
                continue
            }
            #expect(error.code == .cancelled && error.message.contains("the test"))
        }
        #expect(presenter.state.withLock { $0.presentations } == 1)
        #expect(presenter.state.withLock { $0.closings } == 1)
    }

    @Test func `a controller that was forgotten does not keep the picker from being presented again`() async throws {
        let presenter = Presenter(values: ["key": "w_1"])
        let picker = picker(presenter)
        presenter.choose("witness")
        let forgotten = try await picker.present()
        let second = try await picker.present()
        #expect(forgotten !== second)
        #expect(second.extensionIdentifier == "witness" && !second.isBroadcasting)
    }

    @Test func `a caller that is cancelled leaves the others their picker`() async throws {
        let presenter = Presenter(values: ["key": "w_1"])
        let picker = picker(presenter)
        let (leaver, stayer) = (outcome(of: picker), outcome(of: picker))
        try await wait(for: 2, of: picker)
        leaver.cancel()
        guard case .failure(let error) = await leaver.value else {
            Issue.record("it was not cancelled")
            return
        }
        #expect(error.code == .cancelled)
        presenter.choose("witness")
        _ = try await stayer.value.get()
    }

    @Test func `once all callers are cancelled it closes`() async throws {
        let presenter = Presenter()
        let picker = picker(presenter)
        let caller = outcome(of: picker)
        try await CoreTesting.wait(for: "the picker") { presenter.state.withLock { $0.presentations } == 1 }
        caller.cancel()
        _ = await caller.value
        try await CoreTesting.wait(for: "its end") { presenter.state.withLock { $0.closings } == 1 }
        try await wait(for: 0, of: picker)
    }

    @Test func `asked again while it closes, it is presented again`() async throws {
        let presenter = Presenter(values: ["key": "w_1"], isSlowToLeave: true)
        let picker = picker(presenter)
        let first = outcome(of: picker)
        try await CoreTesting.wait(for: "the picker") { presenter.state.withLock { $0.presentations } == 1 }
        first.cancel()
        _ = await first.value
        let second = outcome(of: picker)
        try await CoreTesting.wait(for: "the second caller") { picker.successors == 1 }
        presenter.leave.fulfil(())
        try await CoreTesting.wait(for: "the picker") { presenter.state.withLock { $0.presentations } == 2 }
        presenter.choose("witness")
        _ = try await second.value.get()
    }

    @Test func `the person sees the services with names, icons and fields, and only the preferred one`() async throws {
        let presenter = Presenter(values: ["key": "w_1"])
        let picker = picker(presenter)
        presenter.choose("witness", isMicrophoneEnabled: true)
        let controller = try await picker.present()
        #expect(controller.isMicrophoneEnabled && picker.isMicrophoneEnabled)
        let request = try #require(presenter.state.withLock { $0.requests.first })
        let ids = ["live", "youtube", "twitch", "rtmp", "witness"]
        #expect(request.app == place.app && request.services.map(\.id) == ids)
        let witness = try #require(request.services.last)
        #expect(witness.name == "Witness" && witness.icon?.lastPathComponent == "eye.svg")
        #expect(request.services[3].fields.first?.key == "server")
        #expect(request.services.map(\.needsNothing) == [true, false, false, false, false])
        picker.preferredService = "witness"
        picker.showsMicrophoneButton = false
        picker.isMicrophoneEnabled = false
        #expect(try await picker.present().isMicrophoneEnabled == false)
        #expect(presenter.state.withLock { $0.requests.last?.services.map(\.id) } == ["witness"])
        let form = try #require(presenter.state.withLock { $0.forms.last })
        #expect(form.fields.map(\.key).prefix(3) == ["key", "quality", "count"])
    }

    @Test func `a preferred service that is not installed is refused with those that are`() async throws {
        let picker = picker(Presenter())
        picker.preferredService = "org.example.nobody"
        let error = await #expect(throws: BroadcastError.self) { try await picker.present() }
        #expect(error?.code == .unknownService)
        #expect(error?.message.contains("org.example.nobody; there are live, youtube, twitch, rtmp, witness") == true)
    }

    @Test(
        arguments: [
            ([:], .missingField, "key", "fill it in"), (["key": "x"], .invalidField, "key", "look like \"w_*\""),
            (["key": "w_1", "colour": "red"], .unknownField, "colour", "it has key, quality"),
        ] as [([String: String], BroadcastError.Code, String, String)])
    func `what is not filled in well is a typed error that names the field`(
        values: [String: String], code: BroadcastError.Code, field: String, words: String
    ) async throws {
        let presenter = Presenter(values: values)
        presenter.choose("witness")
        let error = await #expect(throws: BroadcastError.self) { try await picker(presenter).present() }
        #expect(error?.code == code && error?.field == field)
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        #expect(presenter.state.withLock { $0.closings } == 1)
    }

    @Test func `a presenter that answers with another service is refused`() async throws {
        let presenter = Presenter()
        presenter.choose("nobody")
        let error = await #expect(throws: BroadcastError.self) { try await picker(presenter).present() }
        #expect(error?.code == .unknownService)
    }

    @Test func `it closes itself when the broadcast has started, and not before`() async throws {
        let presenter = Presenter(values: ["key": "w_1"])
        presenter.choose("witness")
        let controller = try await picker(presenter).present()
        controller.scope = .virtual(PixelSize(width: 320, height: 240))
        #expect(presenter.state.withLock { $0.closings } == 0)
        try await controller.startBroadcast(countdown: 0)
        #expect(presenter.state.withLock { $0.closings } == 1)
        try await controller.finishBroadcast()
    }

    @Test func `without an engine there is nothing to pick`() async throws {
        let picker = BroadcastPicker(
            app: place.app, presenter: Presenter(), locator: EngineLocator(named: "/nowhere/engine"))
        let error = await #expect(throws: BroadcastError.self) { try await picker.present() }
        #expect(error?.code == .engineNotFound)
    }

    @Test func `a service that is installed meanwhile is told`() async throws {
        let services = BroadcastServices(locator: place.locator)
        let changes = services.changes
        let known = try await services.list().map(\.id)
        let task = Task { await changes.first { $0.map(\.id) != known ? $0.map(\.id) : nil } }
        _ = try Tool.output("cp", ["-r", place.folder.file("witness.kinext"), place.folder.file("other.kinext")])
        let manifest = #"{"kinecast": 2, "id": "other", "executable": "witness"}"#
        try place.write(manifest, to: "other.kinext/manifest.json")
        // The first look may have come before or after; a later change comes in any case.
        while !task.isCancelled {
            let listed = try await services.list().map(\.id)
            if listed.contains("other") { break }
        }
        try place.write(manifest.replacing("other", with: "third"), to: "other.kinext/manifest.json")
        #expect(await task.value?.contains { ["other", "third"].contains($0) } == true)
    }
}
