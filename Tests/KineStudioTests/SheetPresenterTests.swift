// The questions of the studio's own sheet, without a page.
import CoreTesting
import FoundationEssentials
import KineServices
import KineWire
import Kinecast
import Synchronization
import Testing

@testable import KineStudio

@Suite struct SheetPresenterTests {
    private static let service: BroadcastService = {
        var manifest = ServiceManifest(id: "tv", name: "TV", executable: "nothing")
        manifest.setup = [.init(key: "key", title: "Key", isRequired: true)]
        return BroadcastService(Service(manifest: manifest, origin: .builtIn, bundle: nil, executable: "/nowhere"))
    }()

    private let sheets = Sheets(changed: {})

    private func presenter() throws -> SheetPresenter {
        try SheetPresenter(SheetApp(identifier: "tv", name: "TV"), in: sheets)
    }

    /// Waits until the sheet asks for settings.
    private func form(_ id: String) throws {
        try wait("the form") { if case .form? = sheets.prompt(of: id) { true } else { false } }
    }

    @Test func `what the person writes is the service's settings`() async throws {
        let presenter = try presenter()
        async let setup = Self.service.setUp(with: presenter, app: AppIdentity(identifier: "kinecast"))
        try form(presenter.id)
        #expect(!sheets.answer(.values(["key": "early"]), step: 7, of: presenter.id))
        #expect(sheets.answer(.values(["key": "hush"]), step: 1, of: presenter.id))
        #expect(try await setup.info == ["key": "hush"])
        #expect(sheets.prompt(of: presenter.id) == .waiting)
        presenter.close()
        #expect(sheets.count == 0)
    }

    @Test func `a person who cancels ends the setup, and what is shown later is cancelled at once`() async throws {
        let presenter = try presenter()
        let setup = Task {
            try await Self.service.setUp(with: presenter, app: AppIdentity(identifier: "kinecast"))
        }
        try form(presenter.id)
        sheets.cancel(presenter.id)
        let error = await #expect(throws: BroadcastError.self) { try await setup.value }
        #expect(error?.code == .cancelled && sheets.count == 0)
        let isCancelled = Mutex(false)
        await presenter.showLogin(try #require(URL(string: "https://example.org")), for: Self.service) {
            isCancelled.withLock { $0 = true }
        }
        #expect(isCancelled.withLock { $0 })
    }

    @Test func `a login that the person cancels is told`() async throws {
        let presenter = try presenter()
        let isCancelled = Mutex(false)
        await presenter.showLogin(try #require(URL(string: "https://example.org")), for: Self.service) {
            isCancelled.withLock { $0 = true }
        }
        #expect(sheets.prompt(of: presenter.id) == .login(service: "TV", address: "https://example.org"))
        sheets.cancel(presenter.id)
        #expect(isCancelled.withLock { $0 })
    }

    @Test func `a task that is cancelled closes its sheet, and there are few sheets`() async throws {
        let presenter = try presenter()
        let task = Task { try await Self.service.setUp(with: presenter, app: AppIdentity(identifier: "kinecast")) }
        try form(presenter.id)
        task.cancel()
        await #expect(throws: BroadcastError.self) { try await task.value }
        #expect(sheets.count == 0)
        let several = try (0..<4).map { _ in try self.presenter() }
        #expect(throws: BroadcastError.self) { try self.presenter() }
        several.forEach { $0.close() }
    }
}
