// One connection to a server, from its first byte to the goodbye: an RTMPSession on a channel, with its deadlines. Publishing
// and trying a server share it.
import KineRTMP
import NIOCore
import NIOSSL

/// A connection of the dialer's, and what is said over it once `open` is called. Used on its event loop.
final class RTMPClient: @unchecked Sendable {
    // Sendable: everything that changes is touched only on the channel's event loop.
    enum Event {
        /// The server said yes: `begin`, then send.
        case live
        /// To be told in a new connection.
        case authenticate(PublisherAuthentication)
        case askedToMove(RTMPURL)
        case writable
        case failed(PublishFailure)
        /// After `finish`: everything is said, and the server has closed, or was left.
        case finished
    }

    /// Bytes that a server makes this side answer while it takes none of them: pings and acknowledgements, some thousands.
    static let answerLimit = 64 << 10

    let channel: any Channel
    private let tell: (Event) -> Void
    private var session: RTMPSession?
    private var url: RTMPURL?
    private var deadlineTimer: Scheduled<Void>?
    private var unsentAnswers = 0
    private var isOver = false
    /// Milliseconds: no sample that is earlier is sent. nil before the stream has begun.
    private var beginning: Int64?
    /// Retransmits each second what is not acknowledged, so that it lives again within a second of its network.
    private(set) var recoversSoon = false

    /// `tell` is called until `failed` or `finished`, or until `close`, `reset` or `abandon`.
    init(_ channel: any Channel, tell: @escaping (Event) -> Void) {
        self.channel = channel
        self.tell = tell
    }

    var server: String? { session?.server }
    /// As in `PublishStateMachine`.
    var endedAtStreamName: Bool { session?.endedAtStreamName ?? false }
    private var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }

    func open(_ url: RTMPURL, _ authentication: PublisherAuthentication, wasLive: Bool, tls: NIOSSLContext?) {
        self.url = url
        do {
            try RTMPConnection.adopt(channel, url, tls: url.isSecure ? tls : nil, owner: self)
        } catch {
            return end(.failed(RTMPConnection.failure(error, url)))
        }
        TCPStatistics.sendAgainEachSecond(channel).whenSuccess { self.recoversSoon = true }
        let random = (0..<1528).map { _ in UInt8.random(in: 0 ... .max) }
        session = RTMPSession(url, authentication: authentication, random: random, wasLive: wasLive)
        perform(session?.connected(now: now) ?? [])
    }

    // MARK: The stream

    /// Sound may come after a picture that was seen later, by some tenths of a second; it is not left out for that.
    private static let lead: Int64 = 500

    var hasBegun: Bool { beginning != nil }

    /// Announces the stream. `time`: of its first sample, in milliseconds.
    func begin(_ format: RTMPStreamFormat, at time: Int64) {
        let beginning = max(0, time - Self.lead)
        self.beginning = beginning
        write(session?.beginStream(format, timestamp: UInt32(truncatingIfNeeded: beginning)) ?? [])
    }

    /// Returns the number of bytes. A sample from before the beginning is left out.
    func send(_ item: SendQueue.Item) -> Int {
        guard let beginning, item.time >= beginning else { return 0 }
        let timestamp = UInt32(truncatingIfNeeded: item.time)
        let bytes =
            item.isVideo
            ? session?.video(item.payload, timestamp: timestamp) : session?.audio(item.payload, timestamp: timestamp)
        write(bytes ?? [])
        return bytes?.count ?? 0
    }

    // MARK: The end

    /// Says goodbye behind what was sent.
    func finish() { perform(session?.finish() ?? []) }

    /// Nothing more is told; the connection goes its way.
    func abandon() {
        isOver = true
        deadlineTimer?.cancel()
    }

    func close() {
        abandon()
        channel.close(promise: nil)
    }

    func reset() {
        abandon()
        RTMPConnection.reset(channel)
    }

    private func end(_ event: Event) {
        guard !isOver else { return }
        abandon()
        tell(event)
    }

    // MARK: The session

    private func perform(_ events: [RTMPSession.Event]) {
        for event in events where !isOver {
            switch event {
            case .send(let bytes): answer(bytes)
            case .live: tell(.live)
            case .authenticate(let next): end(.authenticate(next))
            case .move(let target): tell(.askedToMove(target))
            case .fail(let failure): end(.failed(failure))
            case .close: closeWhenSent()
            }
        }
        channel.flush()
        scheduleDeadline()
    }

    private func closeWhenSent() {
        RTMPConnection.closeWhenSent(channel, isSecure: url?.isSecure == true).whenComplete { _ in
            self.end(.finished)
        }
    }

    /// A server that asks and asks, and does not read the answers, is lost: they would fill the memory.
    private func answer(_ bytes: [UInt8]) {
        unsentAnswers += bytes.count
        guard unsentAnswers <= Self.answerLimit else {
            let name = url.map { "\($0)" } ?? ""
            let sentence = "The server \(name) asks and reads no answers; a new connection is made."
            return end(.failed(PublishFailure(.lost, sentence)))
        }
        channel.write(channel.allocator.buffer(bytes: bytes)).whenComplete { _ in self.unsentAnswers -= bytes.count }
    }

    private func write(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        channel.write(channel.allocator.buffer(bytes: bytes), promise: nil)
    }

    private func scheduleDeadline() {
        deadlineTimer?.cancel()
        guard !isOver, let deadline = session?.deadline else { return }
        deadlineTimer = channel.eventLoop.scheduleTask(in: .nanoseconds(max(0, deadline - now))) {
            guard !self.isOver else { return }
            self.perform(self.session?.tick(now: self.now) ?? [])
        }
    }
}

extension RTMPClient: RTMPConnectionOwner {
    func received(_ bytes: ByteBuffer) {
        guard !isOver else { return }
        perform(session?.receive(bytes.readableBytesView, now: now) ?? [])
    }

    func becameWritable() { if !isOver { tell(.writable) } }

    func closed(_ failure: PublishFailure?) {
        guard !isOver else { return }
        // After the goodbye it is the server's turn to close.
        if session?.state == .finished { return end(.finished) }
        // What TLS says of the server is more than that it closed.
        if let failure, failure.isFinal { return end(.failed(failure)) }
        perform(session?.disconnected() ?? [])
    }
}
