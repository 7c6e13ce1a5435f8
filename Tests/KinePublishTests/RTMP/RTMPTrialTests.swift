// Trying a server without a stream: what it says of itself, and why it would not take one.
import KineMeasure
import KineRTMP
import Testing

@testable import KinePublish

@Suite(.timeLimit(.minutes(10))) struct RTMPTrialTests {
    private func settings(_ address: String) throws -> RTMPSettings { RTMPSettings(url: try RTMPURL(address)) }

    @Test func `A server that takes the stream says who it is, and gets the whole goodbye`() async throws {
        let server = try StrictServerSocket()
        let trial = try await RTMPTrial.run(settings("rtmp://127.0.0.1:\(server.port)/app/key?token=a"))
        #expect(trial.server == "Strict/1" && trial.address == "127.0.0.1:\(server.port)")
        #expect(trial.tls == nil && trial.certificate.isEmpty)
        #expect((trial.roundTrip ?? -1) > 0 && trial.duration > 0)
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil)
        #expect(seen.phase == .deleted && seen.media.isEmpty && seen.streamName == "key?token=a")
    }

    @Test func `A refused key is told in words that tell no key`() async throws {
        let server = try StrictServerSocket(
            .refusesPublish(code: "NetStream.Publish.BadName", description: "no stream secret-key"))
        let failure = await #expect(throws: PublishFailure.self) {
            try await RTMPTrial.run(settings("rtmp://127.0.0.1:\(server.port)/app/secret-key"))
        }
        #expect(failure?.kind == .refused)
        #expect(failure?.onceOnly.contains("stream key") == true && failure?.onceOnly.contains("secret-key") == false)
    }

    @Test func `A server that closes a moment after its yes has not taken the stream`() async throws {
        let server = try StrictServerSocket()
        server.state.withLock { $0.cutsWhenPublished = true }
        let failure = await #expect(throws: PublishFailure.self) {
            try await RTMPTrial.run(settings("rtmp://127.0.0.1:\(server.port)/app/secret-key"))
        }
        #expect(failure?.kind == .refused && failure?.description.contains("check the stream key") == true)
    }

    @Test func `Where nobody listens, nothing is tried again, and nothing is said of it`() async throws {
        let port = try Loopback.freePort()
        let failure = await #expect(throws: PublishFailure.self) {
            try await RTMPTrial.run(settings("rtmp://127.0.0.1:\(port)/app/key"))
        }
        #expect(failure?.kind == .unreachable && failure?.onceOnly.contains("Connection refused") == true)
        let passing = PublishFailure(.lost, "The connection was lost; it is tried again.")
        #expect(passing.onceOnly == "The connection was lost; try again later.")
    }
}
