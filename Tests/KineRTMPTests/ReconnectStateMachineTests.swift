// Which connection a publisher has: what follows what, on a clock that only the test moves.
import KineRTMP
import Testing

@Suite struct ReconnectStateMachineTests {
    typealias Machine = ReconnectStateMachine
    private static let second: Int64 = 1_000_000_000
    private let lost = PublishFailure(.lost, "lost; it is tried again.")

    private func machine(_ address: String = "rtmp://h/app/key", retries: Int? = nil) throws -> Machine {
        Machine(try RTMPURL(address), policy: ReconnectPolicy(limit: retries))
    }

    /// Live over connection 1.
    private func live(_ address: String = "rtmp://h/app/key") throws -> Machine {
        var machine = try machine(address)
        _ = machine.start(now: 0)
        _ = machine.connected(now: 0)
        _ = machine.accepted(1)
        try #require(machine.sending == 1)
        return machine
    }

    @Test func `A stream becomes live, ends, and says goodbye behind what waits`() throws {
        var machine = try machine()
        let (url, target) = (machine.home, machine.destination)
        #expect(machine.start(now: 0) == [.dial(target)])
        #expect(machine.connected(now: 5) == [.hold(1), .open(1, url, nil, wasLive: false)])
        #expect(!machine.takesSamples && machine.measured == 1)
        #expect(machine.accepted(1) == [.emptyQueue, .stopDialing, .becameLive(1, isAgain: false)])
        #expect(machine.takesSamples && machine.sending == 1)
        #expect(machine.finish() == [.stopDialing, .startTimer(.finish, after: Machine.finishDeadline), .finish(1)])
        let last = machine.failed(1, lost, now: 9, chance: 0)
        #expect(last.contains(.close(1)) && last.last == .ended(nil))
    }

    @Test func `A stream that no server took ends as a failure, with the last reason`() throws {
        var machine = try machine()
        _ = machine.start(now: 0)
        let reason = PublishFailure(.unreachable, "No connection to h; check the address.")
        let actions = machine.dialFailed(reason, now: Self.second, chance: 0.5)
        #expect(actions.contains(.startTimer(.retry, after: 300_000_000)))
        #expect(machine.finish().last == .ended(reason))
        machine = try self.machine()
        _ = machine.start(now: 0)
        _ = machine.connected(now: 0)
        guard case .ended(let failure?) = machine.finish().last else { return #expect(Bool(false)) }
        #expect(failure.kind == .unreachable && failure.description.contains("had not taken the stream"))
    }

    @Test func `A connection that is lost is made anew, and a final failure is not`() throws {
        var machine = try live()
        machine.proved(1)
        let actions = machine.failed(1, lost, now: 60 * Self.second, chance: 0)
        #expect(
            actions == [
                .close(1), .emptyQueue, .interrupted(lost, retryAfter: 100_000_000),
                .startTimer(.retry, after: 100_000_000),
            ])
        #expect(machine.fired(.retry, now: 61 * Self.second) == [.dial(machine.destination)])
        let refused = PublishFailure(.certificate, "no")
        #expect(machine.dialFailed(refused, now: 62 * Self.second, chance: 0).last == .ended(refused))
    }

    @Test func `A silent connection is kept until the next is there, and reset then`() throws {
        var machine = try live()
        #expect(machine.absent(1) == [.probe(machine.destination)])
        let actions = machine.stalled(1, lost, now: 8 * Self.second, chance: 0.5)
        #expect(!actions.contains(.close(1)) && !actions.contains(.reset(1)))
        #expect(machine.state == .waiting(left: 1))
        #expect(
            machine.connected(now: 9 * Self.second) == [
                .cancelTimer(.retry), .hold(2), .reset(1), .open(2, machine.home, nil, wasLive: true),
            ])
        #expect(machine.accepted(2).contains(.becameLive(2, isAgain: true)))
    }

    @Test func `Of two connections the old one wins where it moves again`() throws {
        var machine = try live()
        #expect(
            machine.connected(now: 0, oldRecovers: true) == [
                .hold(2), .startTimer(.lastChance, after: Machine.lastChance),
            ])
        #expect(machine.sending == 1)
        #expect(machine.connected(now: 0) == [.turnAway])
        #expect(machine.moved(1) == [.cancelTimer(.lastChance), .close(2)])
        #expect(machine.sending == 1)
    }

    @Test
    func `Of two connections the new one wins after the last chance, or at once where the old one is slow to recover`()
        throws
    {
        var machine = try live()
        _ = machine.connected(now: 0, oldRecovers: true)
        var actions = machine.fired(.lastChance, now: Machine.lastChance)
        #expect(actions.first == .reset(1) && actions.last == .open(2, machine.home, nil, wasLive: true))
        machine = try live()
        actions = machine.connected(now: 0, oldRecovers: false)
        #expect(actions.first == .hold(2) && actions.last == .open(2, machine.home, nil, wasLive: true))
        #expect(machine.sending == nil && machine.measured == 2)
        machine = try live()
        _ = machine.connected(now: 0, oldRecovers: true)
        #expect(machine.failed(1, lost, now: 1, chance: 0).last == .open(2, machine.home, nil, wasLive: true))
        machine = try live()
        _ = machine.connected(now: 0, oldRecovers: true)
        #expect(machine.failed(2, lost, now: 1, chance: 0) == [.cancelTimer(.lastChance), .close(2)])
        #expect(machine.sending == 1)
    }

    @Test func `A request to reconnect is followed at a keyframe, and samples wait meanwhile`() throws {
        var machine = try live()
        let other = try RTMPURL("rtmp://b/app/key")
        #expect(machine.asked(1, toMoveTo: other, scope: .global, now: 0) == [.askForKeyframe])
        let target = Machine.Destination(other, narrowest: .global)
        #expect(machine.keyframe(now: 1) == [.leave(1), .emptyQueue, .dial(target)])
        #expect(machine.takesSamples && machine.sending == nil)
        #expect(machine.connected(now: 2) == [.hold(2), .open(2, other, nil, wasLive: true)])
        // Nothing is thrown away.
        #expect(machine.accepted(2) == [.stopDialing, .becameLive(2, isAgain: true)])
        // Lost there: the server itself is asked again.
        let actions = machine.failed(2, PublishFailure(.refused, "no"), now: 3, chance: 0)
        #expect(actions.contains(.retarget(Machine.Destination(machine.home))))
        #expect(machine.destination.url == machine.home && machine.state == .waiting(left: nil))
    }

    @Test func `The end during a move waits for the other server, for a time`() throws {
        var machine = try live()
        _ = machine.asked(1, toMoveTo: try RTMPURL("rtmp://b/app/key"), scope: .global, now: 0)
        _ = machine.keyframe(now: 0)
        #expect(machine.finish() == [.startTimer(.finish, after: Machine.finishDeadline)])
        var other = machine
        _ = machine.connected(now: 0)
        #expect(machine.accepted(2).suffix(2) == [.becameLive(2, isAgain: true), .finish(2)])
        #expect(other.fired(.finish, now: Machine.finishDeadline).last == .ended(nil))
    }

    @Test func `Requests to reconnect are followed a few times a minute`() throws {
        var machine = try live()
        var followed = 0
        var id = 1
        for step in 0..<60 {
            let now = Int64(step) * Self.second
            let url = try RTMPURL("rtmp://h\(step)/app/key")
            guard !machine.asked(id, toMoveTo: url, scope: .global, now: now).isEmpty else { continue }
            followed += 1
            _ = machine.keyframe(now: now)
            _ = machine.connected(now: now)
            id += 1
            _ = machine.accepted(id)
            try #require(machine.sending == id)
        }
        #expect(followed == RedirectLimit.count)
        let later = try RTMPURL("rtmp://b/app/key")
        #expect(!machine.asked(id, toMoveTo: later, scope: .global, now: 61 * Self.second).isEmpty)
    }

    @Test(arguments: [
        ("rtmp://h:1940/app/key", "rtmp://b:1935/app", true), ("rtmp://h:1940/app/key", "rtmp://b:1940/app", true),
        ("rtmp://h:1940/app/key", "rtmp://b:22/app", false), ("rtmp://h:1940/app/key", "rtmp://b:6379/app", false),
        ("rtmp://h:1940/app/key", "rtmp://h:6379/app", true), ("rtmp://h:1940/app/key", "rtmp://h:22/app", false),
        ("rtmp://h/app/key", "rtmps://b/app", true), ("rtmps://h/app/key", "rtmps://b:8443/app", false),
        ("rtmps://h/app/key", "rtmps://b:443/app", true), ("rtmps://h/app/key", "rtmp://h/app", false),
    ]) func `A server may send its publisher to few ports, and never out of encryption`(
        home: String, target: String, isAllowed: Bool
    ) throws {
        let url = try RTMPURL(home)
        #expect(url.mayBeSent(to: try RTMPURL(target + "/key")) == isAllowed)
        // Where it may not, the present address is meant.
        var machine = try live(home)
        _ = machine.asked(1, toMoveTo: try RTMPURL(target + "/key"), scope: .global, now: 0)
        _ = machine.keyframe(now: 0)
        #expect((machine.destination == Machine.Destination(url)) == !isAllowed)
    }

    @Test func `Authentication is kept for the next connection, and forgotten with the one that is lost`() throws {
        var machine = try machine()
        var authentication = PublisherAuthentication(machine.home, challenge: 1)
        _ = authentication.refused("authmod=adobe")
        _ = machine.start(now: 0)
        _ = machine.connected(now: 0)
        #expect(machine.authenticate(1, authentication, now: 0) == [.close(1), .dial(machine.destination)])
        #expect(machine.connected(now: 0).last == .open(2, machine.home, authentication, wasLive: false))
        _ = machine.failed(2, lost, now: 0, chance: 0)
        #expect(machine.connected(now: 0).last == .open(3, machine.home, nil, wasLive: false))
    }

    @Test func `A server that closes at each stream's name has refused it`() throws {
        var machine = try machine()
        _ = machine.start(now: 0)
        for id in 1..<ReconnectPolicy.silentRefusals {
            _ = machine.connected(now: 0)
            _ = machine.failed(id, lost, atStreamName: true, now: 0, chance: 0)
            #expect(machine.state == .waiting(left: nil))
            _ = machine.fired(.retry, now: 0)
        }
        _ = machine.connected(now: 0)
        let last = machine.failed(ReconnectPolicy.silentRefusals, lost, atStreamName: true, now: 0, chance: 0).last
        #expect(last == .ended(PublishFailure(.refused, lost.onceOnly)))
    }
}
