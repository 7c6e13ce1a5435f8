// One connection to a server, from its first byte to the goodbye: an RTMPSession on a channel, with its deadlines. Used
// both to publish and to check a server.
import KineRTMP
import NIOCore
import NIOSSL

/// A session over a connection from the dialer. Used on its event loop.
final class RTMPClient: @unchecked Sendable {
    // Sendable: all mutable state is used only on the channel's event loop.
    enum Event {
        /// The server accepted the stream: samples may be sent.
        case accepted
        /// See `StreamAcceptance`.
        case live
        /// The server requests this authentication, in a new connection.
        case authenticate(PublisherAuthentication)
        case redirected(RTMPURL)
        /// The server does not accept the stream, and names this address for it.
        case moved(RTMPURL)
        case writable
        case failed(PublishFailure)
        /// After `finish`: everything is sent, and the connection is closed.
        case finished
    }

    private enum Phase {
        /// No sample has been sent yet.
        case beginning
        /// The stream is announced with these formats. Samples before this time, in milliseconds, are dropped.
        case streaming(from: Int64, announced: RTMPStreamFormat)
        /// Nothing more is reported.
        case over
    }

    /// Bytes of unread answers that may wait for a server: some thousands of pings.
    static let answerLimit = 64 << 10
    /// Milliseconds by which audio may be older than a frame sent before it.
    private static let lead: Int64 = 500

    let channel: any Channel
    private let url: RTMPURL
    private let report: (Event) -> Void
    private var session: RTMPSession
    private var phase = Phase.beginning
    private let sentBytes = SentBytes()
    /// Whether the server has something to acknowledge before the stream is live.
    private(set) var hasSentKeyframe = false
    private var deadlineTimer: Scheduled<Void>?
    private var unsentAnswers = 0
    /// The first error of the socket.
    private var brokenBy: PublishFailure.Code?
    /// Whether the kernel retransmits each second until everything is acknowledged.
    private(set) var recoversSoon = false

    /// `report` is called until `failed` or `finished`, or until `close`, `reset` or `abandon`.
    init(
        _ channel: any Channel, _ url: RTMPURL, _ authentication: PublisherAuthentication?, wasLive: Bool,
        report: @escaping (Event) -> Void
    ) {
        self.channel = channel
        self.url = url
        self.report = report
        session = RTMPSession(
            url, authentication: authentication ?? PublisherAuthentication(url, challenge: .random(in: 0 ... .max)),
            random: (0..<1528).map { _ in UInt8.random(in: 0 ... .max) }, wasLive: wasLive)
    }

    var server: String? { session.server }
    /// See `PublishStateMachine.endedAtStreamName`.
    var endedAtStreamName: Bool { session.endedAtStreamName }
    var hasBegun: Bool { if case .beginning = phase { false } else { true } }
    private var isOver: Bool { if case .over = phase { true } else { false } }
    private var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }

    /// `tls`: used if the address requires it.
    func open(tls: NIOSSLContext?) {
        do {
            try RTMPSocket.adopt(channel, url, tls: url.isSecure ? tls : nil, handler: self, sentBytes: sentBytes)
        } catch {
            return end(.failed(PublishFailure(.init(connected: error), url)))
        }
        TCPStatistics.retransmitEachSecond(channel).whenSuccess { self.recoversSoon = true }
        perform(session.connected(now: now))
    }

    /// Announces the stream. Call before the first sample, which has the time `first` in milliseconds.
    func begin(_ format: RTMPStreamFormat, at first: Int64) {
        guard case .beginning = phase else { return }
        let time = max(0, first - Self.lead)
        phase = .streaming(from: time, announced: format)
        write(session.beginStream(format, timestamp: UInt32(truncatingIfNeeded: time)))
    }

    /// Sends a sample, with an announcement of audio that begins later or of the video's new format. Returns the number
    /// of bytes; 0 for a dropped sample.
    func send(_ item: SendQueue.Item, of format: RTMPStreamFormat) -> Int {
        guard case .streaming(let beginning, var announced) = phase, item.time >= beginning else { return 0 }
        if !item.isVideo, announced.audio == nil {
            announced.audio = format.audio
            let time = max(beginning, item.time - Self.lead)
            write(session.beginAudio(announced, timestamp: UInt32(truncatingIfNeeded: time)))
        } else if let video = item.format, video != announced.video {
            announced.video = video
            write(session.beginVideo(announced, timestamp: UInt32(truncatingIfNeeded: item.time)))
        }
        phase = .streaming(from: beginning, announced: announced)
        let bytes = session.sample(item)
        write(bytes)
        if !hasSentKeyframe, item.isVideo || format.video == nil {
            hasSentKeyframe = true
            // TLS encrypts when it is flushed.
            channel.flush()
            session.expectAcknowledgement(of: sentBytes.count, now: now)
        }
        return bytes.count
    }

    /// A check sends nothing that the server could acknowledge.
    func expectNothing() { session.expectAcknowledgement(of: 0, now: now) }

    /// See `PublishStateMachine.acknowledged(_:now:)`.
    func acknowledged(_ bytes: Int64?) {
        if !isOver, case .accepted = session.state { perform(session.acknowledged(bytes, now: now)) }
    }

    private func write(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        channel.write(channel.allocator.buffer(bytes: bytes), promise: nil)
    }

    /// Says goodbye after all sent data.
    func finish() { perform(session.finish()) }

    /// Stops reporting. The connection ends by itself.
    func abandon() {
        phase = .over
        deadlineTimer?.cancel()
    }

    func close() {
        abandon()
        channel.close(promise: nil)
    }

    func reset() {
        abandon()
        RTMPSocket.reset(channel)
    }

    private func end(_ event: Event) {
        guard !isOver else { return }
        abandon()
        report(event)
    }

    private func perform(_ events: [RTMPSession.Event]) {
        for event in events where !isOver {
            switch event {
            case .send(let bytes): answer(bytes)
            case .accepted: report(.accepted)
            case .live: report(.live)
            case .authenticate(let next): end(.authenticate(next))
            case .redirect(let target): report(.redirected(target))
            case .moved(let target): end(.moved(target))
            case .fail(let failure): end(.failed(failure))
            case .close:
                RTMPSocket.closeWhenSent(channel, isSecure: url.isSecure).whenComplete { _ in self.end(.finished) }
            }
        }
        channel.flush()
        scheduleDeadline()
    }

    /// Gives up a server that sends requests but reads no answers: they would fill the memory.
    private func answer(_ bytes: [UInt8]) {
        unsentAnswers += bytes.count
        guard unsentAnswers <= Self.answerLimit else { return end(.failed(PublishFailure(.answersUnread, url))) }
        channel.write(channel.allocator.buffer(bytes: bytes)).whenComplete { _ in self.unsentAnswers -= bytes.count }
    }

    private func scheduleDeadline() {
        deadlineTimer?.cancel()
        guard !isOver, let deadline = session.deadline else { return }
        deadlineTimer = channel.eventLoop.scheduleTask(in: .nanoseconds(max(0, deadline - now))) {
            if !self.isOver { self.perform(self.session.tick(now: self.now)) }
        }
    }
}

extension RTMPClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isOver { perform(session.receive(unwrapInboundIn(data).readableBytesView, now: now)) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !isOver, channel.isWritable { report(.writable) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A server that closes without TLS's goodbye is a normal end.
        if brokenBy == nil, (error as? NIOSSLError) != .uncleanShutdown { brokenBy = .init(connected: error) }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard !isOver else { return }
        // After the goodbye, the server closes.
        if session.state == .finished { return end(.finished) }
        var systemError: PublishFailure.SystemError?
        if let brokenBy {
            // A refused certificate matters more than the close that followed it.
            let failure = PublishFailure(brokenBy, url)
            if failure.isFinal { return end(.failed(failure)) }
            if case .connectionLost(let error) = brokenBy { systemError = error }
        }
        perform(session.disconnected(systemError))
    }
}
