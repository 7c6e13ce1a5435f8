// Checking a server without a sample: what it says of itself, and why it does not accept a stream.
import CoreTesting
import KineMeasure
import KineRTMP
import Testing

@testable import KinePublish

@Suite(.timeLimit(.minutes(10)), .tags(.real)) struct RTMPCheckTests {
    private func settings(_ address: String) throws -> RTMPSettings { try RTMPSettings(setupInfo: ["url": address]) }

    @Test func `a server that accepts the stream is described, and gets the whole goodbye`() async throws {
        let server = try StrictServerSocket()
        let check = try await RTMPCheck.run(settings("rtmp://127.0.0.1:\(server.port)/app/key?token=a"))
        #expect(check.server == "Strict/1" && check.address == "127.0.0.1:\(server.port)")
        #expect(check.tls == nil && check.certificate.isEmpty)
        #expect((check.roundTrip ?? -1) > 0 && check.duration > 0)
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil)
        #expect(seen.phase == .deleted && seen.media.isEmpty && seen.streamName == "key?token=a")
    }

    @Test func `a refused key is reported without the key`() async throws {
        let server = try StrictServerSocket(
            .refusesPublish(code: "NetStream.Publish.BadName", description: "no stream secret-key"))
        let failure = await #expect(throws: PublishFailure.self) {
            try await RTMPCheck.run(settings("rtmp://127.0.0.1:\(server.port)/app/secret-key"))
        }
        #expect(failure?.kind == .refused)
        #expect(
            failure?.withoutRetry().description.contains("stream key") == true
                && failure?.withoutRetry().description.contains("secret-key") == false)
    }

    @Test func `a check follows a server that refuses with another address, and not for ever`() async throws {
        let second = try StrictServerSocket()
        let first = try StrictServerSocket(.redirectsConnect(to: "rtmp://127.0.0.1:\(second.port)/app"))
        let check = try await RTMPCheck.run(settings("rtmp://127.0.0.1:\(first.port)/app/key"))
        #expect(check.address == "127.0.0.1:\(second.port)")
        second.state.withLock { $0.behavior = .redirectsConnect(to: "rtmp://127.0.0.1:\(first.port)/app") }
        let failure = await #expect(throws: PublishFailure.self) {
            try await RTMPCheck.run(settings("rtmp://127.0.0.1:\(first.port)/app/key"))
        }
        #expect(failure?.code == .redirectedTooOften)
    }

    @Test func `a server that closes a moment after its yes has refused the stream`() async throws {
        let server = try StrictServerSocket()
        server.state.withLock { $0.cutsWhenPublished = true }
        let failure = await #expect(throws: PublishFailure.self) {
            try await RTMPCheck.run(settings("rtmp://127.0.0.1:\(server.port)/app/secret-key"))
        }
        #expect(failure?.code == .closedOnceAccepted && failure?.description.contains("check the stream key") == true)
    }

    @Test func `when nobody listens, nothing is tried again`() async throws {
        let port = try Loopback.freePort()
        let failure = await #expect(throws: PublishFailure.self) {
            try await RTMPCheck.run(settings("rtmp://127.0.0.1:\(port)/app/key"))
        }
        #expect(
            failure?.kind == .unreachable && failure?.withoutRetry().description.contains("Connection refused") == true)
    }
}
