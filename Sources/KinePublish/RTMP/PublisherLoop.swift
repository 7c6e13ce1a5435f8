// Carries out what the state machines of KineRTMP decide, on one event loop: what a publisher holds, and what it is asked for.
// Its connections, the way to the socket and the watch on it are in files of their own.
import KineRTMP
import NIOCore
import NIOSSL

/// The publisher on its event loop.
final class PublisherLoop: @unchecked Sendable {
    // Sendable: everything that changes is touched only on `eventLoop`.
    enum Phase {
        case idle
        case connecting
        case live
        case waiting
        case finishing
        case ended
    }

    static let finishDeadline = TimeAmount.seconds(5)
    private static let startDeadline = TimeAmount.seconds(5)

    let eventLoop: any EventLoop
    let settings: RTMPSettings
    let format: RTMPStreamFormat
    let wantsKeyframe: @Sendable () -> Void
    let observe: @Sendable (RTMPEvent) -> Void

    var phase = Phase.idle
    var url: RTMPURL
    var authentication: PublisherAuthentication
    var tls: NIOSSLContext?
    var policy: ReconnectPolicy
    var queue = SendQueue()
    var controller: BitrateController
    var status = RTMPStatus()

    var session: RTMPSession?
    var channel: (any Channel)?
    /// Gets the next channel.
    lazy var reach = ServerReach(on: eventLoop) { [unowned self] in self.reached($0) }
    lazy var watch = NetworkWatch(on: eventLoop) { [weak self] in self?.networkReturned() }
    /// A connection that the network has left, until the next one is there: see `retire`.
    var retired: (any Channel)?
    /// The present connection sends again each second what is not acknowledged.
    var sendsAgainEachSecond = false
    /// The next connection is there, and the present one has its last chance.
    var isConsidering = false
    /// Where the server took the last connection, and then nothing came of it.
    var disappointing: SocketAddress?
    /// Counts connections, so that the last words of an old one are told from those of the present.
    var number = 0
    var hasBegun = false
    /// The server asked to go there; done at the next keyframe.
    var moveTarget: RTMPURL?
    /// Samples are kept while the next connection is made: it is a move.
    var isMoving = false
    /// When the present connection was attempted, or was there unasked.
    var attemptedAt: Int64 = 0
    /// Of the present connection, or of the last that was live; 0: none was.
    var liveSince: Int64 = 0
    /// The present connection is live for long enough, and something arrived. A server may say yes and close a moment later.
    var hasProvedItself = false
    /// Bytes that had arrived when the connection was measured first after it became live.
    var deliveredWhenLive: Int64?
    var keyframeAsked = Int64.min
    var progress: (delivered: Int64, at: Int64) = (0, 0)
    var measured = 0
    var deadlineTimer: Scheduled<Void>?
    var retryTimer: Scheduled<Void>?
    var measuring: RepeatedTask?
    var started: ((PublishFailure?) -> Void)?
    var finished: [() -> Void] = []
    /// The end was asked for; while a move is being made, its connection is waited for.
    var isEnding = false

    init(
        _ settings: RTMPSettings, format: RTMPStreamFormat, on eventLoop: any EventLoop,
        wantsKeyframe: @escaping @Sendable () -> Void, observe: @escaping @Sendable (RTMPEvent) -> Void
    ) {
        self.settings = settings
        self.format = format
        self.eventLoop = eventLoop
        self.wantsKeyframe = wantsKeyframe
        self.observe = observe
        url = settings.url
        authentication = PublisherAuthentication(settings.url, challenge: .random(in: 0 ... .max))
        policy = ReconnectPolicy(limit: settings.retries, firstDelay: settings.firstDelay)
        controller = Self.controller(settings, format)
    }

    var wasLive: Bool { liveSince > 0 }
    var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }

    // MARK: What the publisher asks for

    func start(_ done: @escaping (PublishFailure?) -> Void) {
        guard phase == .idle else { return done(nil) }
        started = done
        // Who began the broadcast is told "live" or "not possible" where that is quickly known, and need not wait for more.
        eventLoop.scheduleTask(in: Self.startDeadline) { self.answerStart(nil) }
        watch.start()
        connect()
    }

    func answerStart(_ failure: PublishFailure?) {
        started?(failure)
        started = nil
    }

    func take(_ items: [SendQueue.Item]) {
        for item in items {
            if item.isVideo, item.isKeyframe, phase == .live, let target = moveTarget { move(to: target) }
            guard phase == .live || isMoving else {
                if item.isVideo { status.droppedPictures += 1 }
                continue
            }
            if queue.append(item) == .needsKeyframe { askForKeyframe() }
        }
        drain()
        if queue.isHopeless, !isEnding {
            failed(
                PublishFailure(
                    .lost, "The connection to \(url) takes less than the sound needs; a new connection is made."))
        }
    }

    func finish(_ done: @escaping () -> Void) {
        guard phase != .ended, phase != .idle else { return done() }
        finished.append(done)
        guard !isEnding else { return }
        isEnding = true
        retryTimer?.cancel()
        guard phase == .live || isMoving else { return end(.finished) }
        eventLoop.scheduleTask(in: Self.finishDeadline) { self.end(.finished) }
        if phase == .live { finishNow() }
    }

    func finishNow() {
        phase = .finishing
        drain()
    }
}
