// Broadcasts over a publisher that the test plays, through the real shared memory and the real control channel.
import KineMedia
import KineWire
import KinecastExtension
import KinecastExtensionTesting
import Testing

@testable import KineBroadcast
@testable import KinePublisher

@Suite @BroadcastActor struct PublisherBroadcastHandlerTests {
    typealias Handler = PublisherBroadcastHandler<DoubleDestination>

    private static let size = PixelSize(width: 64, height: 48)

    private func rehearsal(mic: AudioCodec? = nil) throws -> ExtensionRehearsal<Handler> {
        try ExtensionRehearsal(
            Handler.self, feed: RehearsalFeed(video: .encoded(Self.size), appAudio: .aac, micAudio: mic))
    }

    /// A broadcast that has started. `settings`: see `DoubleDestination`.
    private func started(
        _ settings: [String: String] = [:]
    ) async throws -> (rehearsal: ExtensionRehearsal<Handler>, publisher: PublisherDouble) {
        let rehearsal = try rehearsal()
        try await rehearsal.start(setupInfo: settings.merging(["url": "double://h"]) { $1 })
        return (rehearsal, try #require(rehearsal.handler.publisher))
    }

    private func status(
        _ state: PublisherStatus.State, _ change: (inout PublisherStatus) -> Void = { _ in }
    ) -> PublisherEvent {
        var status = PublisherStatus()
        status.state = state
        change(&status)
        return .status(status)
    }

    /// The reports after those of the start.
    private func reports(_ rehearsal: ExtensionRehearsal<Handler>) -> [ExtensionReport] {
        Array(rehearsal.reports.drop { $0 != .started }.dropFirst())
    }

    @Test func `a broadcast starts its publisher, gives it samples and pauses, and finishes it`() async throws {
        let (rehearsal, publisher) = try await started()
        #expect(
            rehearsal.reports == [.state("connecting to double://h"), .live(false, reason: nil), .started])
        #expect(publisher.stream.video?.size == Self.size && publisher.stream.framesPerSecond == 30)
        #expect(publisher.stream.audio.map(\.type) == [.audioApp])
        try await rehearsal.sendFrames(2)
        try await rehearsal.sendAudio(.audioApp, duration: .seconds(0.02))
        try await rehearsal.pause()
        try await rehearsal.resume()
        #expect(await rehearsal.finish() == .finished)
        #expect(
            publisher.calls == [
                .start, .publish(.video, isKeyframe: true), .publish(.video, isKeyframe: false),
                .publish(.audioApp, isKeyframe: true), .pause, .resume, .finish,
            ])
        #expect(reports(rehearsal) == [.finished])
    }

    @Test func `each keyframe comes with its format`() async throws {
        let (rehearsal, publisher) = try await started()
        try await rehearsal.sendFrames(2)
        let format = VideoFormat(
            parameterSets: .h264(H264ParameterSets(sequence: [0x67, 1], picture: [0x68, 2])),
            size: PixelSize(width: 32, height: 16))
        for second in 1...2 {
            try await rehearsal.send(
                EncodedSample(
                    type: .video, presentationTime: .seconds(Double(second)), duration: .zero, isKeyframe: true,
                    data: [0, 0, 0, 1, 0x65], format: second == 1 ? format : nil))
        }
        #expect(await rehearsal.finish() == .finished)
        let first = try #require(publisher.stream.video)
        #expect(publisher.formats == [first, format, format])
    }

    @Test func `where the protocol carries one audio track, the microphone is left out with a warning`() async throws {
        let rehearsal = try rehearsal(mic: .aac)
        try await rehearsal.start(setupInfo: ["url": "double://h"])
        let warning =
            "The double carries one audio track: the microphone is left out; mix both into one track to have it."
        #expect(rehearsal.reports.contains(.warning(warning)))
        try await rehearsal.sendAudio(.audioMic, duration: .seconds(0.02))
        try await rehearsal.sendAudio(.audioApp, duration: .seconds(0.02))
        let publisher = try #require(rehearsal.handler.publisher)
        #expect(publisher.calls == [.start, .publish(.audioApp, isKeyframe: true)])
        #expect(await rehearsal.finish() == .finished)
    }

    @Test func `a connection that is lost and back is reported, with the reason and the wait`() async throws {
        let (rehearsal, publisher) = try await started()
        publisher.report(status(.live))
        publisher.report(.interrupted(PublisherDouble.Failure(words: "The network was away"), retryAfter: 1.2))
        publisher.report(status(.reconnecting))
        publisher.report(.interrupted(PublisherDouble.Failure(words: "The server was away"), retryAfter: 0))
        publisher.report(status(.live))
        #expect(await rehearsal.finish() == .finished)
        #expect(
            reports(rehearsal) == [
                .state("live"), .live(true, reason: nil),
                .live(false, reason: "The network was away; try again later."),
                .warning("The network was away; it is tried again. The next attempt is in 2 s."),
                .state("reconnecting"), .live(false, reason: "The server was away; try again later."),
                .warning("The server was away; it is tried again."), .state("live"), .live(true, reason: nil),
                .finished,
            ])
    }

    @Test func `the code of a failure comes beside its sentence, whichever way that goes`() async throws {
        let code = ProblemCode(.connectionLost, ["server": "h"])
        let failure = PublisherDouble.Failure(words: "Lost", problem: code)
        let (rehearsal, publisher) = try await started()
        publisher.report(.interrupted(failure, retryAfter: 0))
        publisher.report(.failed(failure.withoutRetry()))
        #expect(await rehearsal.finish() == .failed("Lost; try again later."))
        #expect(
            reports(rehearsal) == [
                .live(false, reason: "Lost; try again later.", code: code),
                .warning("Lost; it is tried again.", code: code), .failed("Lost; try again later.", code: code),
            ])
    }

    @Test func `a status is the connection's statistics, of which the last ones stay at the end`() async throws {
        let (rehearsal, publisher) = try await started()
        publisher.report(
            status(.live) {
                ($0.uptime, $0.bitrate, $0.reconnects, $0.sentBytes) = (5, 900_000, 1, 1234)
                ($0.queueMilliseconds, $0.roundTrip, $0.droppedFrames) = (240, 34, 12)
            })
        var expected = ConnectionStatistics()
        (expected.uptime, expected.bitrate, expected.reconnects) = (5, 900_000, 1)
        (expected.queueMilliseconds, expected.roundTripMilliseconds, expected.framesDropped) = (240, 34, 12)
        #expect(rehearsal.handler.connectionStatistics == expected && rehearsal.handler.sentBytes == 1234)
        publisher.report(status(.finished) { ($0.reconnects, $0.droppedFrames) = (1, 12) })
        #expect(rehearsal.handler.connectionStatistics?.uptime == 5)
        #expect(rehearsal.handler.connectionStatistics?.bitrate == 900_000)
        #expect(rehearsal.handler.connectionStatistics?.queueMilliseconds == 0)
        #expect(await rehearsal.finish() == .finished)
    }

    @Test func `the publisher's wishes for the encoder, and its link, go to the engine`() async throws {
        let (rehearsal, publisher) = try await started()
        publisher.report(.keyframeNeeded)
        publisher.report(.target(BitrateController.Target(bitrate: 500_000, frameDivisor: 2)))
        publisher.report(.target(nil))
        publisher.report(.link("https://example.org/watch"))
        #expect(await rehearsal.finish() == .finished)
        #expect(
            reports(rehearsal) == [
                .needsKeyframe, .encoding(EncodingRequest(averageBitrate: 500_000, maximumFrameRate: 15)),
                .encoding(.none), .links(BroadcastLinks(page: "https://example.org/watch")), .finished,
            ])
    }

    @Test func `a server that refuses the stream ends the broadcast with its sentence`() async throws {
        let rehearsal = try rehearsal()
        await #expect(throws: ExtensionRehearsal<Handler>.Error.failed("The key is wrong; try again later.")) {
            try await rehearsal.start(setupInfo: ["url": "double://h", "refuse": "The key is wrong"])
        }
        #expect(rehearsal.handler.publisher?.calls == [.start])
        let other = try self.rehearsal()
        await #expect(throws: ExtensionRehearsal<Handler>.Error.failed("No address is given; give one.")) {
            try await other.start()
        }
        #expect(other.handler.publisher == nil)
    }

    @Test func `a stream that fails later ends the broadcast, and is not finished`() async throws {
        let (rehearsal, publisher) = try await started()
        publisher.report(.failed(PublisherDouble.Failure(words: "The key has expired").withoutRetry()))
        #expect(await rehearsal.finish() == .failed("The key has expired; try again later."))
        #expect(publisher.calls == [.start])
    }

    @Test func `a stream that no server took says so when it ends`() async throws {
        let (rehearsal, _) = try await started(["ignore": "No server took the stream"])
        #expect(await rehearsal.finish() == .finished)
        #expect(
            reports(rehearsal) == [.live(false, reason: "No server took the stream; try again later."), .finished])
    }

    @Test(
        arguments: [
            (#"{"url": "double://h"}"#, nil), ("{}", "No address is given; give one."),
            (#"{"url": "double://h", "refuse": "The key is wrong"}"#, "The key is wrong; try again later."),
            ("nonsense", "The destination to check was not understood; install Kinecast completely."),
        ] as [(String, String?)])
    func `a check answers with the reason why the server would refuse the stream`(
        question: String, problem: String?
    ) async {
        #expect(await DoubleDestination.report(on: Array(question.utf8)) == DestinationReport(problem: problem))
    }
}
