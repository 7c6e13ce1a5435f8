// Gets a TCP connection to the server, however long that takes. An attempt takes its time and reports its failure. Between
// attempts, while the server cannot be reached, the dialer probes it each second with a SYN, which a host that is up answers.
import KineRTMP
import NIOCore

/// Looks for one server at a time. Used on its event loop.
final class Dialer {
    typealias Destination = ReconnectStateMachine.Destination

    struct Times: Sendable {
        /// An attempt waits no longer for a name. The look-up goes on, and its answer serves the next attempt.
        var lookUp = TimeAmount.seconds(15)
        /// After this time without an answer, an attempt uses the addresses that worked last.
        var patience = TimeAmount.seconds(2)
        /// For all addresses together (RFC 8305), without the look-up.
        var connect = TimeAmount.seconds(5)
        /// A probe waits no longer for its answer. Slower networks are for attempts.
        var probe = TimeAmount.seconds(1)
    }

    /// Nanoseconds between probes, random within this range: publishers of one server must not probe all at once.
    private static let probeIntervals: ClosedRange<Int64> = 750_000_000...1_000_000_000
    /// Networks report several changes at once; a single probe follows them.
    private static let settlingTime = TimeAmount.milliseconds(50)
    private static let unansweredLimit = 3

    /// The server accepted the last connection here, and then it failed. Left out if the name has other addresses.
    var lastFailedAddress: SocketAddress?
    private let eventLoop: any EventLoop
    private let times: Times
    private let connected: (any Channel) -> Void
    private let lookUp: NameLookUp
    private var addressBook = AddressBook()
    private var search: Search?
    /// Probes without an answer yet, those of earlier searches too.
    private var unansweredProbes = 0

    /// `connected` gets a connection over which nothing was sent or read, once for each search.
    init(
        on eventLoop: any EventLoop, resolver: any NameResolver = SystemResolver(), times: Times = Times(),
        connected: @escaping (any Channel) -> Void
    ) {
        self.eventLoop = eventLoop
        self.times = times
        self.connected = connected
        lookUp = NameLookUp(on: eventLoop, resolver: resolver)
    }

    /// Tries all addresses of the server. When they fail, calls `failed` and goes on probing, until `stop`.
    func dial(_ target: Destination, failed: @escaping (PublishFailure) -> Void) {
        let search = beginSearch(target)
        let attempt = Attempt(eventLoop, failed)
        search.replaceAttempt(attempt)
        if let address = search.numericAddress { return connect([address], attempt, search) }
        let name = search.name
        lookUp.find(name) { answer in
            self.addressBook.note(answer, of: name)
            switch answer {
            case .success(let addresses): self.connect(addresses, attempt, search)
            case .failure: self.connectWhereItWorked(attempt, search, otherwise: .nameUnknown)
            }
        }
        attempt.schedule(in: times.patience) { self.connectWhereItWorked(attempt, search, otherwise: nil) }
        attempt.schedule(in: times.lookUp) { attempt.end(PublishFailure(.nameServersSilent, target.url)) }
    }

    /// Probes until the server answers or `stop` is called.
    func probe(_ target: Destination) { beginSearch(target) }

    /// Changes the target of the present search, if there is one.
    func retarget(to target: Destination) { if search != nil { beginSearch(target) } }

    /// The next probe follows at once, however many changes the network reports until then.
    func networkReturned() {
        guard let search, !search.isProbeImminent else { return }
        search.isProbeImminent = true
        scheduleProbe(search, in: Self.settlingTime)
    }

    func stop() {
        search?.end()
        search = nil
    }

    @discardableResult private func beginSearch(_ target: Destination) -> Search {
        if let search, search.target == target { return search }
        stop()
        let search = Search(target)
        self.search = search
        scheduleProbe(search, in: .nanoseconds(.random(in: Self.probeIntervals)))
        return search
    }

    // MARK: Attempts

    private func connect(_ addresses: [SocketAddress], _ attempt: Attempt, _ search: Search) {
        guard attempt.beginConnecting() else { return }
        let allowed = allowed(addresses, search.target)
        guard !allowed.isEmpty else { return attempt.end(PublishFailure(.addressForbidden, search.target.url)) }
        open(allowed, search, timeout: times.connect) { error in
            if let error { attempt.end(PublishFailure(dialing: search.target.url, error)) }
        }
    }

    /// `otherwise`: the attempt's failure when no address has worked yet; nil: it goes on waiting.
    private func connectWhereItWorked(_ attempt: Attempt, _ search: Search, otherwise code: PublishFailure.Code?) {
        guard attempt.isLookingUp else { return }
        let known = addressBook.worked(search.name)
        if !known.isEmpty { return connect(known, attempt, search) }
        if let code { attempt.end(PublishFailure(code, search.target.url)) }
    }

    /// Without those that reach less far than the target demands, and without the last that failed if there are others.
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
        _ addresses: [SocketAddress], _ search: Search, timeout: TimeAmount, done: @escaping ((any Error)?) -> Void
    ) {
        RTMPSocket.connect(to: search.target.url, at: addresses, timeout: timeout, on: eventLoop).assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    done(nil)
                    guard search === self.search else { return channel.close(promise: nil) }
                    if let address = channel.remoteAddress { self.addressBook.note(address, of: search.name) }
                    self.stop()
                    self.connected(channel)
                case .failure(let error): done(error)
                }
            }
    }

    // MARK: Probes

    private func scheduleProbe(_ search: Search, in delay: TimeAmount) {
        search.nextProbe?.cancel()
        search.nextProbe = eventLoop.assumeIsolated().scheduleTask(in: delay) {
            search.isProbeImminent = false
            self.probe(search)
            self.scheduleProbe(search, in: .nanoseconds(.random(in: Self.probeIntervals)))
        }
    }

    private func probe(_ search: Search) {
        search.probeCount += 1
        let known = search.numericAddress.map { [$0] } ?? addressBook.candidates(search.name)
        // The server may have moved, but known addresses can be probed without a name service: every second probe looks up.
        if search.numericAddress == nil, !lookUp.isRunning, search.probeCount % 2 == 0 || known.isEmpty {
            lookUp.find(search.name) { self.addressBook.note($0, of: search.name) }
        }
        let addresses = allowed(known, search.target)
        guard !addresses.isEmpty, unansweredProbes < Self.unansweredLimit else { return }
        unansweredProbes += 1
        open(addresses, search, timeout: times.probe) { _ in self.unansweredProbes -= 1 }
    }
}

/// What the dialer looks for. Its identity tells the answers of this search from late ones of another.
private final class Search {
    let target: Dialer.Destination
    let name: NameLookUp.Name
    /// An address in numbers needs no look-up.
    let numericAddress: SocketAddress?
    var nextProbe: Scheduled<Void>?
    var isProbeImminent = false
    var probeCount = 0
    private var attempt: Attempt?

    init(_ target: Dialer.Destination) {
        self.target = target
        name = NameLookUp.Name(target.url)
        numericAddress = try? SocketAddress(ipAddress: target.url.host, port: target.url.port)
    }

    func replaceAttempt(_ attempt: Attempt?) {
        self.attempt?.end(nil)
        self.attempt = attempt
    }

    func end() {
        replaceAttempt(nil)
        nextProbe?.cancel()
    }
}

/// One look-up and one connection.
private final class Attempt {
    private enum State {
        case lookingUp(failed: (PublishFailure) -> Void, timers: [Scheduled<Void>])
        case connecting(failed: (PublishFailure) -> Void)
        case over
    }

    private let eventLoop: any EventLoop
    private var state: State

    init(_ eventLoop: any EventLoop, _ failed: @escaping (PublishFailure) -> Void) {
        self.eventLoop = eventLoop
        state = .lookingUp(failed: failed, timers: [])
    }

    var isLookingUp: Bool { if case .lookingUp = state { true } else { false } }

    /// Calls `body` if the attempt is still looking up by then.
    func schedule(in delay: TimeAmount, _ body: @escaping () -> Void) {
        guard case .lookingUp(let failed, let timers) = state else { return }
        state = .lookingUp(
            failed: failed, timers: timers + [eventLoop.assumeIsolated().scheduleTask(in: delay, body)])
    }

    /// false when the attempt is connecting already, or over.
    func beginConnecting() -> Bool {
        guard case .lookingUp(let failed, let timers) = state else { return false }
        for timer in timers { timer.cancel() }
        state = .connecting(failed: failed)
        return true
    }

    /// nil: nobody wants to know any more.
    func end(_ failure: PublishFailure?) {
        _ = beginConnecting()
        guard case .connecting(let failed) = state else { return }
        state = .over
        if let failure { failed(failure) }
    }
}
