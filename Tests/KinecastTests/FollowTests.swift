// A take that goes on without the client that started it, and the client that takes it up.
import CoreTesting
import Glibc
import KineClient
import KineMeasure
import KineMedia
import KineTakes
import KineWire
import Testing

@testable import Kinecast

@Suite(.tags(.real)) struct FollowTests {
    private let folder: TemporaryDirectory
    private let locator: EngineLocator
    /// Of this test alone: others run at the same time.
    private let app = AppIdentity(identifier: "org.example.Follow\(UInt32.random(in: 0...(.max)))")

    init() throws {
        folder = try TemporaryDirectory()
        locator = EngineLocator(named: try Tool.sibling("kinecast-engine"))
    }

    private func start() async throws -> (EngineSession, TakeRecord) {
        var configuration = TakeConfiguration(
            source: .pattern(PixelSize(width: 128, height: 96)), output: folder.file("a.mp4"))
        configuration.audio.app = .none
        configuration.app = app
        configuration.outlivesClient = true
        let session = try await EngineSession.start(configuration, locator: locator)
        for await event in session.events {
            guard case .engine(.started(let started)) = event else { continue }
            return (session, try #require(try await KnownTakes.list().running.first { $0.id == started.id }))
        }
        throw ClientError.takeIsOver
    }

    @Test func `a take that outlives its client is found by its app, followed and stopped`() async throws {
        let (owner, record) = try await start()
        owner.close()
        let found = try await KnownTakes.list().running.filter { $0.app == app }
        #expect(found.map(\.id) == [record.id])
        let follower = try await EngineSession.follow(record)
        var hasProgress = false
        for await event in follower.events {
            if case .engine(.started(let started)) = event { #expect(started.id == record.id) }
            if case .engine(.progress) = event { hasProgress = true }
            if hasProgress { break }
        }
        try await follower.pause()
        let late = try await EngineSession.follow(record, progress: false)
        for await event in late.events where event == .engine(.paused) { break }
        guard case .finished(let summary) = try await follower.stop() else {
            Issue.record("The take was not finished.")
            return
        }
        #expect(summary.output == folder.file("a.mp4"))
        #expect(try RecordedVideo(path: folder.file("a.mp4")).size == PixelSize(width: 128, height: 96))
        await owner.closed()
    }

    @Test func `a follower without its first client recovers the file of an engine that was killed`() async throws {
        let (owner, record) = try await start()
        owner.close()
        let follower = try await EngineSession.follow(record, progress: false)
        try await wait(for: "a byte of the file") { try await follower.status().progress.bytes > 0 }
        kill(record.pid, SIGKILL)
        guard case .engineDied(let death) = try await follower.outcome(),
            case .recovered(let path, _) = death.file
        else {
            Issue.record("The file was not recovered.")
            return
        }
        #expect(try RecordedVideo(path: path).size == PixelSize(width: 128, height: 96))
        let listing = try await KnownTakes.list()
        #expect(!(listing.running + listing.dead).contains { $0.id == record.id }, "its entry is gone")
    }
}
