// Gets a TCP connection to the server, however long that takes. An attempt takes its time and its failure is told; in between,
// and for as long as the server cannot be reached, it is probed each second: one SYN, which a host that is up answers at once.
import KineRTMP
import NIOCore

/// Looks for one server at a time. Used on its event loop.
final class Dialer {
    typealias Destination = ReconnectStateMachine.Destination

    /// What takes how long.
    struct Times: Sendable {
        /// An attempt waits no longer for a name. The look-up goes on, and its answer serves the next.
        var lookUp = TimeAmount.seconds(15)
        /// Longer than this, and an attempt goes to the addresses that worked last.
        var patience = TimeAmount.seconds(2)
        /// The longest that all addresses together may take (RFC 8305). Looking up is not part of it.
        var connect = TimeAmount.seconds(5)
        /// A probe waits no longer for its answer. Slower networks are for attempts.
        var probe = TimeAmount.seconds(1)
    }

    /// Nanoseconds from probe to probe, by chance within these: publishers of one server shall not probe all at once.
    private static let probeIntervals: ClosedRange<Int64> = 750_000_000...1_000_000_000
    /// An address or a route that comes is seldom alone.
    private static let settling = TimeAmount.milliseconds(50)

    /// Where the server took the last connection, and then nothing came of it: left out where the name has others.
    var lastFailedAddress: SocketAddress?
    private let eventLoop: any EventLoop
    private let times: Times
    private let connected: (any Channel) -> Void
    private let lookUp: NameLookUp
    private var book = AddressBook()
    private var target: Destination?
    /// Counts what was looked for, so that what comes too late is told from what is wanted.
    private var generation = 0
    private var attempt: Attempt?
    private var probes = 0
    private var unanswered = 0
    private var timer: Scheduled<Void>?
    /// A network came, and the probe that follows it is about to be.
    private var isSettling = false

    /// `connected` gets a connection that nothing has been read from or written to, once for each time that is looked.
    init(
        on eventLoop: any EventLoop, resolver: any NameResolver = SystemResolver(), times: Times = Times(),
        connected: @escaping (any Channel) -> Void
    ) {
        self.eventLoop = eventLoop
        self.times = times
        self.connected = connected
        lookUp = NameLookUp(on: eventLoop, resolver: resolver)
    }

    /// Tries all addresses of the server. When they fail, `failed` is called and probing goes on, until `stop`.
    func dial(_ target: Destination, failed: @escaping (PublishFailure) -> Void) {
        probe(target)
        attempt?.end()
        let attempt = Attempt(failed)
        self.attempt = attempt
        if let address = Self.numeric(target.url) { return connect(attempt, [address]) }
        let name = NameLookUp.Name(target.url)
        lookUp.find(name) { answer in
            self.book.note(answer, of: name)
            guard attempt.isWaiting else { return }
            switch answer {
            case .success(let found): self.connect(attempt, found)
            case .failure:
                let known = self.book.worked(name)
                known.isEmpty ? self.fail(attempt, Self.unknown(target.url)) : self.connect(attempt, known)
            }
        }
        guard attempt.isWaiting else { return }
        attempt.schedule(on: eventLoop, in: times.patience) {
            let known = self.book.worked(name)
            if !known.isEmpty { self.connect(attempt, known) }
        }
        attempt.schedule(on: eventLoop, in: times.lookUp) { self.fail(attempt, Self.unanswered(target.url)) }
    }

    /// Probes until the server is there or `stop` is called.
    func probe(_ target: Destination) {
        guard self.target != target else { return }
        stop()
        self.target = target
        probe(in: .nanoseconds(.random(in: Self.probeIntervals)))
    }

    /// Where a server is looked for, it is this one from now on.
    func retarget(to target: Destination) {
        if self.target != nil { probe(target) }
    }

    /// A network came: the next probe is now. What comes until then does not put it off.
    func networkReturned() {
        guard target != nil, !isSettling else { return }
        isSettling = true
        probe(in: Self.settling)
    }

    func stop() {
        generation += 1
        target = nil
        isSettling = false
        attempt?.end()
        attempt = nil
        timer?.cancel()
        timer = nil
    }

    // MARK: Attempts

    /// One look-up and one connection.
    private final class Attempt {
        private var timers: [Scheduled<Void>] = []
        private var failed: ((PublishFailure) -> Void)?
        /// No address is being connected to yet.
        private(set) var isWaiting = true

        init(_ failed: @escaping (PublishFailure) -> Void) { self.failed = failed }

        func schedule(on eventLoop: any EventLoop, in delay: TimeAmount, _ body: @escaping () -> Void) {
            timers.append(eventLoop.assumeIsolated().scheduleTask(in: delay) { if self.isWaiting { body() } })
        }

        func beginConnecting() {
            isWaiting = false
            for timer in timers { timer.cancel() }
            timers = []
        }

        func end(_ failure: PublishFailure? = nil) {
            beginConnecting()
            let failed = failed.take()
            if let failure { failed?(failure) }
        }
    }

    private func connect(_ attempt: Attempt, _ addresses: [SocketAddress]) {
        guard let target else { return }
        attempt.beginConnecting()
        let allowed = allowed(addresses, target)
        guard !allowed.isEmpty else { return fail(attempt, Self.forbidden(target.url)) }
        open(allowed, target, timeout: times.connect) { [generation] error in
            guard let error, generation == self.generation else { return }
            self.fail(attempt, RTMPConnection.dialFailure(error, target.url))
        }
    }

    private func fail(_ attempt: Attempt, _ failure: PublishFailure) {
        if self.attempt === attempt { self.attempt = nil }
        attempt.end(failure)
    }

    /// Not those that reach less far than they may, nor the last that failed where there are others.
    func allowed(_ addresses: [SocketAddress], _ target: Destination) -> [SocketAddress] {
        var allowed = addresses
        if let narrowest = target.narrowest {
            allowed = allowed.filter { $0.scope >= narrowest && $0.scope > .unusable }
        }
        let others = allowed.filter { $0 != lastFailedAddress }
        return others.isEmpty ? allowed : others
    }

    /// `done` gets the error, or nil for a connection.
    private func open(
        _ addresses: [SocketAddress], _ target: Destination, timeout: TimeAmount, done: @escaping ((any Error)?) -> Void
    ) {
        let mine = generation
        RTMPConnection.dial(target.url, addresses, timeout: timeout, on: eventLoop).assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    done(nil)
                    guard mine == self.generation else { return channel.close(promise: nil) }
                    if let address = channel.remoteAddress { self.book.note(address, of: .init(target.url)) }
                    self.stop()
                    self.connected(channel)
                case .failure(let error): done(error)
                }
            }
    }

    // MARK: Probes

    private func probe(in delay: TimeAmount) {
        timer?.cancel()
        timer = eventLoop.assumeIsolated().scheduleTask(in: delay) {
            self.isSettling = false
            self.probe()
            self.probe(in: .nanoseconds(.random(in: Self.probeIntervals)))
        }
    }

    private func probe() {
        guard let target else { return }
        let name = NameLookUp.Name(target.url)
        let numeric = Self.numeric(target.url)
        probes += 1
        // Every second time: the server may have moved. To probe what is known needs no name service.
        if numeric == nil, !lookUp.isRunning, probes % 2 == 0 || book.candidates(name).isEmpty {
            lookUp.find(name) { self.book.note($0, of: name) }
        }
        let addresses = allowed(numeric.map { [$0] } ?? book.candidates(name), target)
        guard !addresses.isEmpty, unanswered < 3 else { return }
        unanswered += 1
        open(addresses, target, timeout: times.probe) { _ in self.unanswered -= 1 }
    }

    // MARK: Words

    private static func unknown(_ url: RTMPURL) -> PublishFailure {
        PublishFailure(.unreachable, "The name \(url.host) is not known now; check the address and the network.")
    }

    private static func unanswered(_ url: RTMPURL) -> PublishFailure {
        PublishFailure(
            .unreachable,
            "No name server has told the address of \(url.host) in time; check the network and its name servers.")
    }

    private static func forbidden(_ url: RTMPURL) -> PublishFailure {
        PublishFailure(
            .unreachable,
            "The server asked to go to \(url), which is inside another network than its own; it is tried again.")
    }

    /// An address in numbers needs no look-up.
    private static func numeric(_ url: RTMPURL) -> SocketAddress? {
        try? SocketAddress(ipAddress: url.host, port: url.port)
    }
}
