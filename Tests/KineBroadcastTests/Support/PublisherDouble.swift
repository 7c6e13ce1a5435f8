// A publisher without a network: the test says what its server does.
import KineBroadcast
import KineMedia
import KinePublisher
import KineWire
import Synchronization

final class PublisherDouble: Publisher {
    struct Failure: ConnectionFailure {
        var kind = ConnectionFailureKind.lost
        var isRetried = true
        var words: String
        var problem: ProblemCode?

        var description: String { "\(words); \(isRetried ? "it is tried again" : "try again later")." }
    }

    enum Call: Hashable, Sendable {
        case start
        case publish(SampleType, isKeyframe: Bool)
        case pause
        case resume
        case finish
    }

    let stream: PublishedStream
    /// Reports an event to the handler.
    let report: @Sendable (PublisherEvent) -> Void
    private let refusal: Failure?
    private let neverLive: Failure?
    private let made = Mutex<[Call]>([])
    private let given = Mutex<[VideoFormat]>([])

    /// - Parameters:
    ///   - refusal: thrown by `start`.
    ///   - neverLive: returned by `finish`.
    init(
        _ stream: PublishedStream, refusal: Failure?, neverLive: Failure?,
        report: @escaping @Sendable (PublisherEvent) -> Void
    ) {
        (self.stream, self.refusal, self.neverLive, self.report) = (stream, refusal, neverLive, report)
    }

    /// What the handler has called so far.
    var calls: [Call] { made.withLock { $0 } }

    /// The formats of the keyframes so far.
    var formats: [VideoFormat] { given.withLock { $0 } }

    private func note(_ call: Call) { made.withLock { $0.append(call) } }

    func start() async throws(Failure) {
        note(.start)
        if let refusal { throw refusal }
    }

    func publish(
        _ type: SampleType, presentationTime: MediaTime, isKeyframe: Bool, bytes: UnsafeRawBufferPointer,
        format: VideoFormat?
    ) {
        note(.publish(type, isKeyframe: isKeyframe))
        if let format { given.withLock { $0.append(format) } }
    }

    func pause() { note(.pause) }
    func resume() { note(.resume) }

    func finish() async -> Failure? {
        note(.finish)
        return neverLive
    }
}

/// The settings say what the server does: `refuse` and `ignore` are the words of its failures.
struct DoubleDestination: PublisherDestination {
    struct NoAddress: Error, CustomStringConvertible {
        var description: String { "No address is given; give one." }
    }

    static let services = ["double"]
    static let protocolName = "The double"
    static let carriesSeparateAudio = false

    private let setupInfo: [String: String]
    let address: String

    init(setupInfo: [String: String]) throws {
        guard let address = setupInfo["url"] else { throw NoAddress() }
        self.setupInfo = setupInfo
        self.address = address
    }

    private func failure(_ key: String) -> PublisherDouble.Failure? {
        setupInfo[key].map { PublisherDouble.Failure(kind: .refused, words: $0) }
    }

    func publisher(
        of stream: PublishedStream, observe: @escaping @Sendable (PublisherEvent) -> Void
    ) -> PublisherDouble {
        PublisherDouble(
            stream, refusal: failure("refuse")?.withoutRetry(), neverLive: failure("ignore")?.withoutRetry(),
            report: observe)
    }

    func check() async throws -> DestinationReport {
        if let refusal = failure("refuse") { throw refusal }
        return DestinationReport()
    }
}
