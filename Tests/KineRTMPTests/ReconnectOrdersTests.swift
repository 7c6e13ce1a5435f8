// Every order of events, some events deep: nothing is left open, nothing waits for ever, and no sample goes to a server that has
// not accepted the stream.
import KineRTMP
import Testing

@Suite struct ReconnectOrdersTests {
    typealias Machine = RTMPReconnectStateMachine

    /// What a driver would have done so far, and whether that was possible.
    private struct Simulation: Hashable {
        enum Dialing: Hashable { case off, attempt, probing }
        enum Stage: Hashable { case held, opened, accepted, live, finishing }

        var machine: Machine
        var dialing = Dialing.off
        var open: [Machine.ConnectionID: Stage] = [:]
        var timers: Set<Machine.Timer> = []
        var hasIncoming = false
        var hasDialed = false
        var wasLive = false
        var endings = 0
        /// What went wrong; nil: nothing.
        var wrong: String?

        mutating func require(_ condition: Bool, _ words: String) {
            if !condition, wrong == nil { wrong = words }
        }

        mutating func perform(_ actions: [Machine.Action]) {
            for action in actions {
                require(endings == 0, "something follows the end")
                perform(action)
            }
            check()
        }

        private mutating func perform(_ action: Machine.Action) {
            switch action {
            case .dial(let target):
                require(target.url.isSecure || !machine.originalURL.isSecure, "it leaves encryption")
                (dialing, hasDialed) = (.attempt, true)
            case .probe: if dialing == .off { dialing = .probing }
            case .retarget: if dialing == .attempt { dialing = .probing }
            case .stopDialing: dialing = .off
            case .hold(let id):
                require(hasIncoming && open[id] == nil, "no connection to hold")
                hasIncoming = false
                open[id] = .held
            case .discard:
                require(hasIncoming, "no connection to discard")
                hasIncoming = false
            case .open(let id, _, _, let wasLive):
                require(open[id] == .held && wasLive == self.wasLive, "opened twice, or never held")
                open[id] = .opened
            case .accepted(let id): require(open[id] == .accepted, "accepted without a yes")
            case .becameLive(let id, let isAgain):
                require(open[id] == .live && isAgain == wasLive, "live, and not kept")
                wasLive = true
            case .finish(let id):
                require([.accepted, .live].contains(open[id]), "nothing to finish")
                open[id] = .finishing
            case .leave(let id):
                require([.accepted, .live].contains(open.removeValue(forKey: id)), "nothing to leave")
            case .close(let id), .reset(let id):
                require(open.removeValue(forKey: id) != nil, "closed twice")
            case .startTimer(let timer, let delay):
                require(delay > 0 && !timers.contains(timer), "a timer that runs")
                timers.insert(timer)
            case .cancelTimer(let timer): timers.remove(timer)
            case .ended(let failure):
                require(failure != nil || wasLive || !hasDialed, "a stream that no server kept ended well")
                endings += 1
            case .emptyQueue, .requestKeyframe, .interrupted: break
            }
        }

        private mutating func check() {
            require(!hasIncoming, "a connection that nobody wants")
            var named: Set<Machine.ConnectionID> = []
            switch machine.state {
            case .idle: break
            case .dialing(let attempt, let stale):
                named.formUnion([stale].compactMap(\.self))
                require(dialing == .attempt, "nothing is dialed")
                require(attempt.purpose != .redirectThenFinish || timers.contains(.finish), "no end of the end")
            case .negotiating(let id, let attempt):
                named = [id]
                require(open[id] == .opened, "nothing is negotiated")
                require(attempt.purpose != .redirectThenFinish || timers.contains(.finish), "no end of the end")
            case .accepted(let id, _), .live(let id, _): named = [id]
            case .racing(let old, _, let candidate):
                named = [old, candidate]
                require(timers.contains(.race) && open[candidate] == .held, "a race without an end")
            case .waiting(let stale):
                named.formUnion([stale].compactMap(\.self))
                require(timers.contains(.retry), "nobody tries again")
            case .finishing(let id):
                named = [id]
                require(timers.contains(.finish), "no end of the end")
            case .ended: require(endings == 1 && dialing == .off && timers.isEmpty, "an end that is none")
            }
            require(named == Set(open.keys), "\(open) is open in \(machine.state)")
            if let id = machine.sending {
                require([.accepted, .live, .finishing].contains(open[id]), "samples to nobody")
            }
        }
    }

    private let address: String
    private let elsewhere: RTMPURL
    private let failures: [PublishFailure]

    init() throws {
        address = "rtmps://h/app/key"
        elsewhere = try RTMPURL("rtmps://b/app/key")
        failures = [try PublishFailure(.connectionLost(nil)), try PublishFailure(.certificateUntrusted)]
    }

    /// Everything that can happen next.
    private func next(_ simulation: Simulation) -> [Simulation] {
        var simulations: [Simulation] = []
        func happens(_ event: (inout Simulation) -> [Machine.Action]) {
            var simulation = simulation
            let actions = event(&simulation)
            simulation.perform(actions)
            simulations.append(simulation)
        }
        happens { $0.machine.start(now: 0) }
        happens { $0.machine.finish() }
        happens { $0.machine.keyframe(now: 0) }
        if simulation.dialing != .off {
            for oldRecovers in [true, false] {
                happens {
                    $0.dialing = .off
                    $0.hasIncoming = true
                    return $0.machine.connected(now: 0, oldRecovers: oldRecovers)
                }
            }
        }
        if simulation.dialing == .attempt {
            for failure in failures {
                happens {
                    $0.dialing = .probing
                    return $0.machine.dialFailed(failure, now: 0, jitter: 0.5)
                }
            }
        }
        for timer in simulation.timers {
            happens {
                $0.timers.remove(timer)
                return $0.machine.fired(timer, now: 0)
            }
        }
        // Those that are open, and one that has long gone.
        for id in [0] + simulation.open.keys.sorted() { happensOver(id, simulation, happens) }
        return simulations
    }

    private func happensOver(
        _ id: Machine.ConnectionID, _ simulation: Simulation,
        _ happens: ((inout Simulation) -> [Machine.Action]) -> Void
    ) {
        if simulation.open[id] == .opened {
            happens {
                $0.open[id] = .accepted
                return $0.machine.accepted(id)
            }
            let authentication = PublisherAuthentication(simulation.machine.originalURL, challenge: 1)
            happens { $0.machine.authenticate(id, authentication, now: 0) }
            happens { $0.machine.moved(id, to: elsewhere, scope: .global, now: 0, jitter: 0.5) }
        }
        if [.accepted, .finishing].contains(simulation.open[id]) {
            happens {
                $0.open[id] = .live
                return $0.machine.kept(id)
            }
        }
        if simulation.open[id] != .held {
            happens { $0.machine.redirected(id, to: elsewhere, scope: .global, now: 0) }
            happens {
                $0.machine.proved(id)
                return []
            }
            happens { $0.machine.progressed(id) }
            happens { $0.machine.suspected(id) }
            happens { $0.machine.stalled(id, failures[0], now: 0, jitter: 0.5) }
            happens { $0.machine.failed(id, failures[0], isSilentRefusal: true, now: 0, jitter: 0.5) }
        }
        for failure in failures { happens { $0.machine.failed(id, failure, now: 0, jitter: 0.5) } }
    }

    /// Where the orders begin: before anything, in a stream that was lost before, and in the middle of a redirection.
    enum Beginning: CaseIterable {
        case idle
        case liveAgain
        case redirecting
    }

    private func simulation(_ beginning: Beginning, retries: Int?) throws -> Simulation {
        let machine = Machine(try RTMPURL(address), policy: ReconnectPolicy(limit: retries))
        var simulation = Simulation(machine: machine)
        guard beginning != .idle else { return simulation }
        simulation.perform(simulation.machine.start(now: 0))
        connect(1, &simulation)
        simulation.machine.proved(1)
        if beginning == .liveAgain {
            simulation.perform(simulation.machine.stalled(1, failures[0], now: 0, jitter: 0.5))
            simulation.dialing = .probing
            connect(2, &simulation)
        } else {
            simulation.perform(simulation.machine.redirected(1, to: elsewhere, scope: .global, now: 0))
            simulation.perform(simulation.machine.keyframe(now: 0))
        }
        return simulation
    }

    private func connect(_ id: Machine.ConnectionID, _ simulation: inout Simulation) {
        simulation.dialing = .off
        simulation.hasIncoming = true
        simulation.perform(simulation.machine.connected(now: 0))
        simulation.open[id] = .accepted
        simulation.perform(simulation.machine.accepted(id))
        simulation.open[id] = .live
        simulation.perform(simulation.machine.kept(id))
    }

    @Test(arguments: Beginning.allCases, [nil, 1])
    func `whatever comes in whatever order, the machine's actions are possible and leave nothing open`(
        beginning: Beginning, retries: Int?
    ) throws {
        var seen: Set<Simulation> = [try simulation(beginning, retries: retries)]
        var newest = Array(seen)
        try #require(newest[0].wrong == nil)
        for depth in 1...5 {
            var found: [Simulation] = []
            for simulation in newest {
                for next in next(simulation) where seen.insert(next).inserted {
                    try #require(next.wrong == nil, "after \(depth) events: \(next.wrong ?? ""), from \(simulation)")
                    found.append(next)
                }
            }
            newest = found
        }
        // Otherwise the test has tried nothing.
        let names = Set(seen.map { String("\($0.machine.state)".prefix { $0 != "(" }) })
        #expect(names.count >= 7, "\(names)")
    }
}
