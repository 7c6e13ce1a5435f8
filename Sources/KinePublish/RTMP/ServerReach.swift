// Gets a TCP connection to the server, however long that takes. An attempt takes its time and its failure is told; in between,
// and for as long as the server cannot be reached, it knocks each second: one SYN, which a host that is up answers at once.
import KineRTMP
import NIOCore

/// Looks for one server at a time. Used on its event loop.
final class ServerReach {
    /// A knock waits no longer for its answer. Slower networks are for attempts.
    static let knockTimeout = TimeAmount.seconds(1)
    /// Nanoseconds from knock to knock, by chance within these: publishers of one server shall not knock all at once.
    private static let knockIntervals: ClosedRange<Int64> = 750_000_000...1_000_000_000
    /// An address or a route that comes is seldom alone.
    private static let settling = TimeAmount.milliseconds(50)

    private let eventLoop: any EventLoop
    private let reached: (any Channel) -> Void
    private var url: RTMPURL?
    /// Where the server was last.
    private var known: (host: String, address: SocketAddress)?
    /// Counts what was looked for, so that what comes too late is told from what is wanted.
    private var generation = 0
    private var knocks = 0
    /// Knocks without an answer yet.
    private var pending = 0
    private var timer: Scheduled<Void>?
    /// A network came, and the knock that follows it is about to be.
    private var isSettling = false

    /// `reached` gets a connection that nothing has been read from or written to, once for each time that is looked.
    init(on eventLoop: any EventLoop, reached: @escaping (any Channel) -> Void) {
        self.eventLoop = eventLoop
        self.reached = reached
    }

    /// Tries all addresses of the server, within `RTMPConnection.connectTimeout`. When they fail, `failed` is called and
    /// knocking goes on, until `stop`.
    /// - Parameter avoiding: left out where the name has other addresses.
    func attempt(_ url: RTMPURL, avoiding: SocketAddress?, failed: @escaping (any Error) -> Void) {
        look(for: url)
        let mine = generation
        RTMPConnection.dial(url, avoiding: avoiding, timeout: RTMPConnection.connectTimeout, on: eventLoop)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel): self.won(channel, mine)
                case .failure(let error): if mine == self.generation { failed(error) }
                }
            }
    }

    /// Knocks until the server is there or `stop` is called.
    func look(for url: RTMPURL) {
        guard self.url != url else { return }
        stop()
        self.url = url
        knock(in: .nanoseconds(.random(in: Self.knockIntervals)))
    }

    /// Where a server is looked for, it is this one from now on.
    func turn(to url: RTMPURL) {
        if self.url != nil { look(for: url) }
    }

    /// A network came: the next knock is now. What comes until then does not put it off.
    func networkReturned() {
        guard url != nil, !isSettling else { return }
        isSettling = true
        knock(in: Self.settling)
    }

    func stop() {
        generation += 1
        url = nil
        isSettling = false
        timer?.cancel()
        timer = nil
    }

    private func knock(in delay: TimeAmount) {
        timer?.cancel()
        timer = eventLoop.assumeIsolated().scheduleTask(in: delay) {
            self.isSettling = false
            self.knock()
            self.knock(in: .nanoseconds(.random(in: Self.knockIntervals)))
        }
    }

    private func knock() {
        // Names that nobody resolves keep a thread each.
        guard let url, pending < 3 else { return }
        let mine = generation
        knocks += 1
        pending += 1
        // Every second time at the place where it was: to knock there needs no name service.
        let place = knocks % 2 == 1 && known?.host == url.host && known?.address.port == url.port ? known : nil
        let answer =
            place.map { RTMPConnection.dial($0.address, timeout: Self.knockTimeout, on: eventLoop) }
            ?? RTMPConnection.dial(url, timeout: Self.knockTimeout, on: eventLoop)
        answer.assumeIsolated().whenComplete { result in
            self.pending -= 1
            if case .success(let channel) = result { self.won(channel, mine) }
        }
    }

    private func won(_ channel: any Channel, _ generation: Int) {
        guard generation == self.generation, let url else { return channel.close(promise: nil) }
        if let address = channel.remoteAddress { known = (url.host, address) }
        stop()
        reached(channel)
    }
}
