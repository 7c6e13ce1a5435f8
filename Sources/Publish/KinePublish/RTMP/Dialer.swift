// Connects to the server, however long that takes. An attempt has time to try every address and reports its failure.
// Between attempts the dialer probes an unreachable server about once a second with a SYN.
import KineRTMP
import NIOCore

/// Connects to one server at a time. Used on its event loop.
final class Dialer {
    typealias Destination = RTMPReconnectStateMachine.Destination

    struct Times: Sendable {
        /// The limit for a look-up in an attempt. The look-up goes on, and its answer serves the next attempt.
        var lookUp = TimeAmount.seconds(15)
        /// After this time without an answer, an attempt uses the addresses that worked last.
        var timeout = TimeAmount.seconds(2)
        /// The limit for all addresses together (RFC 8305), without the look-up.
        var connect = TimeAmount.seconds(5)
        /// The limit for a probe's answer. On slower networks only attempts succeed.
        var probe = TimeAmount.seconds(1)
    }

    /// Nanoseconds between probes, random within this range so that the publishers of one server do not probe all at once.
    private static let probeIntervals: ClosedRange<Int64> = 750_000_000...1_000_000_000
    /// Networks report several changes at once; one probe follows them.
    private static let settlingTime = TimeAmount.milliseconds(50)
    private static let unansweredLimit = 3

    /// The address of the last connection, which failed. Not tried again if the name has other addresses.
    var lastFailedAddress: SocketAddress?
    private let eventLoop: any EventLoop
    private let times: Times
    private let connected: (any Channel) -> Void
    private let lookUp: NameLookUp
    private var addressBook = AddressBook()
    private var search: Search?
    /// Probes without an answer yet, including those of earlier searches.
    private var unansweredProbes = 0

    /// `connected` is called at most once for each search, with a connection that is still unused.
    init(
        on eventLoop: any EventLoop, resolver: any NameResolver = SystemResolver(), times: Times = Times(),
        connected: @escaping (any Channel) -> Void
    ) {
        self.eventLoop = eventLoop
        self.times = times
        self.connected = connected
        lookUp = NameLookUp(on: eventLoop, resolver: resolver)
    }

    /// Tries all addresses of the server. If they fail, calls `failed` and continues probing until `stop`.
    func dial(_ target: Destination, failed: @escaping (PublishFailure) -> Void) {
        let search = beginSearch(target)
        search.endAttempt(nil)
        if let address = search.numericAddress {
            search.attempt = .lookingUp(failed: failed, timers: [])
            return connect([address], search)
        }
        let eventLoop = eventLoop.assumeIsolated()
        search.attempt = .lookingUp(
            failed: failed,
            timers: [
                eventLoop.scheduleTask(in: times.timeout) { self.connectWhereItWorked(search, otherwise: nil) },
                eventLoop.scheduleTask(in: times.lookUp) { search.endAttempt(.nameServersSilent) },
            ])
        lookUp.find(search.name) { answer in
            self.addressBook.note(answer, of: search.name)
            switch answer {
            case .success(let addresses): self.connect(addresses, search)
            case .failure: self.connectWhereItWorked(search, otherwise: .nameUnknown)
            }
        }
    }

    /// Probes until the server answers or `stop` is called.
    func probe(_ target: Destination) { beginSearch(target) }

    /// Changes the target of the present search, if there is one.
    func retarget(to target: Destination) { if search != nil { beginSearch(target) } }

    /// The next probe follows at once, however many changes the network reports meanwhile.
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

    private func connect(_ addresses: [SocketAddress], _ search: Search) {
        guard search.beginConnecting() else { return }
        let allowed = allowed(addresses, search.target)
        guard !allowed.isEmpty else { return search.endAttempt(.addressForbidden) }
        open(allowed, search, timeout: times.connect) { error in
            if let error { search.endAttempt(.init(dialing: error)) }
        }
    }

    /// `otherwise`: the attempt's failure if no address has worked yet; nil: it continues to wait.
    private func connectWhereItWorked(_ search: Search, otherwise code: PublishFailure.Code?) {
        guard case .lookingUp = search.attempt else { return }
        let known = addressBook.worked(search.name)
        if !known.isEmpty { return connect(known, search) }
        if let code { search.endAttempt(code) }
    }

    /// The addresses with at least the required scope, without the one that failed last if there are others.
    func allowed(_ addresses: [SocketAddress], _ target: Destination) -> [SocketAddress] {
        var allowed = addresses
        if let narrowest = target.narrowest {
            allowed = allowed.filter { $0.scope >= narrowest && $0.scope > .unusable }
        }
        let others = allowed.filter { $0 != lastFailedAddress }
        return others.isEmpty ? allowed : others
    }

    /// `done` gets the error, or nil after connecting.
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
        // Every second probe looks up the name, since the server may have moved. The others need no name server.
        if search.numericAddress == nil, !lookUp.isRunning, search.probeCount % 2 == 0 || known.isEmpty {
            lookUp.find(search.name) { self.addressBook.note($0, of: search.name) }
        }
        let addresses = allowed(known, search.target)
        guard !addresses.isEmpty, unansweredProbes < Self.unansweredLimit else { return }
        unansweredProbes += 1
        open(addresses, search, timeout: times.probe) { _ in self.unansweredProbes -= 1 }
    }
}

/// The dialer's search for one server. Its identity distinguishes its answers from late ones of another search.
private final class Search {
    enum Attempt {
        case none
        case lookingUp(failed: (PublishFailure) -> Void, timers: [Scheduled<Void>])
        case connecting(failed: (PublishFailure) -> Void)
    }

    let target: Dialer.Destination
    let name: NameLookUp.Name
    /// A numeric address needs no look-up.
    let numericAddress: SocketAddress?
    var attempt = Attempt.none
    var nextProbe: Scheduled<Void>?
    var isProbeImminent = false
    var probeCount = 0

    init(_ target: Dialer.Destination) {
        self.target = target
        name = NameLookUp.Name(target.url)
        numericAddress = try? SocketAddress(ipAddress: target.url.host, port: target.url.port)
    }

    /// Returns false if no attempt waits for addresses.
    func beginConnecting() -> Bool {
        guard case .lookingUp(let failed, let timers) = attempt else { return false }
        for timer in timers { timer.cancel() }
        attempt = .connecting(failed: failed)
        return true
    }

    /// Ends the attempt, and reports the code unless it is nil.
    func endAttempt(_ code: PublishFailure.Code?) {
        _ = beginConnecting()
        guard case .connecting(let failed) = attempt else { return }
        attempt = .none
        if let code { failed(PublishFailure(code, target.url)) }
    }

    func end() {
        endAttempt(nil)
        nextProbe?.cancel()
    }
}
