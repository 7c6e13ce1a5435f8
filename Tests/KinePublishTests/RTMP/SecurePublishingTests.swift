// RTMPS: which certificates are trusted.
import CoreTesting
import KineMeasure
import KineMedia
import KinePublish
import KineRTMP
import Testing

@Suite(.timeLimit(.minutes(10)), .tags(.real)) struct SecurePublishingTests {
    private let certificate: SelfSignedCertificate
    private let server: StrictServerSocket
    private let front: TLSFront

    /// A certificate for the name localhost, from an authority that nobody knows.
    init() async throws {
        server = try StrictServerSocket()
        certificate = try SelfSignedCertificate(name: "localhost", alternativeName: "DNS:localhost")
        front = try await TLSFront(to: server.port, certificate: certificate.path, key: certificate.key)
    }

    @Test func `a server of a private authority is trusted if its certificate is given`() async throws {
        // The name has several addresses, and only one of them answers.
        let told = Told()
        let publisher = try told.publisher("rtmps://localhost:\(front.port)/app/key") {
            $0.certificateAuthority = certificate.path
        }
        try await publisher.start()
        let samples = TestStream.samples(0..<2000)
        for sample in samples { publisher.publish(sample) }
        // The server has to acknowledge the encrypted bytes.
        #expect(await told.live())
        await publisher.finish()
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil)
        #expect(TestStream.samples(in: seen.media) == samples.map(TestStream.expected))
    }

    @Test func `a check reports the version of TLS and the names of the certificate`() async throws {
        var settings = try RTMPSettings(setupInfo: ["url": "rtmps://localhost:\(front.port)/app/key"])
        settings.certificateAuthority = certificate.path
        let check = try await RTMPCheck.run(settings)
        #expect(check.tls == "TLS 1.3" && check.certificate == ["localhost"] && check.server == "Strict/1")
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil && seen.phase == .deleted)
        settings.certificateAuthority = nil
        let failure = await #expect(throws: PublishFailure.self) { try await RTMPCheck.run(settings) }
        #expect(failure?.kind == .certificate && failure?.withoutRetry().description.contains("--ca-file") == true)
    }

    /// Why a stream to this address is over for good.
    private func failure(
        _ address: String, _ change: (inout RTMPSettings) -> Void = { _ in }
    ) async throws -> PublishFailure? {
        let told = Told()
        let publisher = try told.publisher(address, change)
        // On a slow machine it returns before anything is known.
        try? await publisher.start()
        return await told.events.next { events in
            events.lazy.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }.first
        }
    }

    @Test func `a certificate of an unknown authority is final`() async throws {
        let failure = try await failure("rtmps://localhost:\(front.port)/app/secret")
        #expect(failure?.kind == .certificate)
        #expect(failure?.description.contains("--ca-file") == true)
    }

    @Test func `a certificate for another name is final`() async throws {
        let failure = try await failure("rtmps://127.0.0.1:\(front.port)/app/secret") {
            $0.certificateAuthority = certificate.path
        }
        #expect(failure?.kind == .certificate)
        #expect(failure?.description.contains("another name") == true)
    }

    @Test func `a server that wants TLS is recognized`() async throws {
        let failure = try await failure("rtmp://localhost:\(front.port)/app/secret")
        #expect(failure?.kind == .configuration)
        #expect(failure?.description.contains("rtmps://") == true && failure?.description.contains("secret") == false)
    }
}
