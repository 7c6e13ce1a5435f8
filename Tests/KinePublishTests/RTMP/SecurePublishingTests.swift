// RTMPS: which certificates are trusted.
import KineMedia
import KinePublish
import KineRTMP
import Testing

@Suite(.timeLimit(.minutes(2))) struct SecurePublishingTests {
    private let folder: ServerFolder
    private let server: StrictServerSocket
    private let front: TLSFront

    /// A certificate for the name localhost, from an authority that nobody knows.
    init() async throws {
        folder = try ServerFolder()
        server = try StrictServerSocket()
        let made = try ServerProgram(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", folder("key.pem"),
                "-out", folder("cert.pem"),
            ])
        #expect(made.wait() == .exited(status: 0))
        front = try await TLSFront(to: server.port, certificate: folder("cert.pem"), key: folder("key.pem"))
    }

    @Test func aServerOfAPrivateAuthorityIsTrustedWhereItsCertificateIsGiven() async throws {
        // The name has several addresses, and only one of them answers.
        let publisher = try Told().publisher("rtmps://localhost:\(front.port)/app/key") {
            $0.certificateAuthority = folder("cert.pem")
        }
        try await publisher.start()
        let samples = TestStream.samples(0..<2000)
        for sample in samples { publisher.publish(sample) }
        await publisher.finish()
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil)
        #expect(TestStream.samples(in: seen.media) == samples.map(TestStream.expected))
    }

    @Test func aCertificateThatNobodyKnowsIsFinal() async throws {
        let publisher = try Told().publisher("rtmps://localhost:\(front.port)/app/secret")
        let failure = await #expect(throws: PublishFailure.self) { try await publisher.start() }
        #expect(failure?.kind == .certificate)
        #expect(failure?.description.contains("“ca”") == true)
    }

    @Test func aCertificateForAnotherNameIsFinal() async throws {
        let publisher = try Told().publisher("rtmps://127.0.0.1:\(front.port)/app/secret") {
            $0.certificateAuthority = folder("cert.pem")
        }
        let failure = await #expect(throws: PublishFailure.self) { try await publisher.start() }
        #expect(failure?.kind == .certificate)
        #expect(failure?.description.contains("another name") == true)
    }

    @Test func aServerThatWantsTLSIsNamed() async throws {
        let publisher = try Told().publisher("rtmp://localhost:\(front.port)/app/secret") { $0.retries = 0 }
        let failure = await #expect(throws: PublishFailure.self) { try await publisher.start() }
        #expect(failure.map { !$0.description.contains("secret") } == true)
    }
}
