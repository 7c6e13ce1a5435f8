// Which connection a publisher has, and the actions that follow each event.
import KineRTMP
import Testing

@Suite struct ReconnectStateMachineTests {
    typealias Machine = RTMPReconnectStateMachine
    private static let second: Int64 = 1_000_000_000
    private let lost: PublishFailure

    init() throws { lost = try PublishFailure(.connectionLost(nil)) }

    private func machine(_ address: String = "rtmp://h/app/key", retries: Int? = nil) throws -> Machine {
        Machine(try RTMPURL(address), policy: ReconnectPolicy(limit: retries))
    }

    /// Live over connection 1.
    private func live(_ address: String = "rtmp://h/app/key") throws -> Machine {
        var machine = try machine(address)
        _ = machine.start(now: 0)
        _ = machine.connected(now: 0)
        _ = machine.accepted(1)
        _ = machine.kept(1)
        try #require(machine.isLive && machine.sending == 1)
        return machine
    }

    @Test func `a stream becomes live, and says goodbye when it ends`() throws {
        var machine = try machine()
        let (url, target) = (machine.originalURL, machine.destination)
        #expect(machine.start(now: 0) == [.dial(target)])
        #expect(machine.connected(now: 5) == [.hold(1), .open(1, url, nil, wasLive: false)])
        #expect(!machine.acceptsSamples && machine.measured == 1)
        #expect(machine.accepted(1) == [.emptyQueue, .stopDialing, .accepted(1)])
        #expect(machine.acceptsSamples && machine.sending == 1 && !machine.isLive && !machine.wasLive)
        #expect(machine.kept(1) == [.becameLive(1, isAgain: false)])
        #expect(machine.isLive && machine.wasLive)
        #expect(machine.finish() == [.stopDialing, .startTimer(.finish, after: Machine.finishDeadline), .finish(1)])
        let last = machine.failed(1, lost, now: 9, jitter: 0)
        #expect(last.contains(.close(1)) && last.last == .ended(nil))
    }

    @Test func `a stream that no server took ends as a failure, with the last reason`() throws {
        var machine = try machine()
        _ = machine.start(now: 0)
        let reason = try PublishFailure(.connectTimedOut)
        let actions = machine.dialFailed(reason, now: Self.second, jitter: 0.5)
        #expect(actions.contains(.startTimer(.retry, after: 300_000_000)))
        #expect(machine.finish().last == .ended(reason.withoutRetry()))
        machine = try self.machine()
        _ = machine.start(now: 0)
        _ = machine.connected(now: 0)
        #expect(machine.finish().last == .ended(PublishFailure(.neverAccepted, machine.originalURL)))
    }

    @Test func `a stream that was accepted is finished once it is live, and failed if it never is`() throws {
        func accepted() throws -> Machine {
            var machine = try self.machine()
            _ = machine.start(now: 0)
            _ = machine.connected(now: 0)
            _ = machine.accepted(1)
            #expect(
                machine.finish() == [.stopDialing, .startTimer(.finish, after: Machine.finishDeadline), .finish(1)])
            return machine
        }
        var machine = try accepted()
        #expect(machine.kept(1) == [.becameLive(1, isAgain: false), .finish(1)])
        #expect(machine.failed(1, lost, now: 9, jitter: 0).last == .ended(nil))
        machine = try accepted()
        let reason = try PublishFailure(.closedOnceAccepted)
        #expect(machine.failed(1, reason, now: 9, jitter: 0).last == .ended(reason.withoutRetry()))
        machine = try accepted()
        let never = PublishFailure(.neverAccepted, machine.originalURL)
        #expect(machine.fired(.finish, now: Machine.finishDeadline).last == .ended(never))
    }

    @Test func `a lost connection is tried again, and a final failure is not`() throws {
        var machine = try live()
        machine.proved(1)
        let actions = machine.failed(1, lost, now: 60 * Self.second, jitter: 0)
        #expect(
            actions == [
                .close(1), .emptyQueue, .interrupted(lost, retryAfter: 100_000_000),
                .startTimer(.retry, after: 100_000_000),
            ])
        #expect(machine.fired(.retry, now: 61 * Self.second) == [.dial(machine.destination)])
        let refused = try PublishFailure(.certificateUntrusted)
        #expect(machine.dialFailed(refused, now: 62 * Self.second, jitter: 0).last == .ended(refused.withoutRetry()))
    }

    @Test func `a silent connection is kept until the next is there, and reset then`() throws {
        var machine = try live()
        #expect(machine.suspected(1) == [.probe(machine.destination)])
        let actions = machine.stalled(1, lost, now: 8 * Self.second, jitter: 0.5)
        #expect(!actions.contains(.close(1)) && !actions.contains(.reset(1)))
        #expect(machine.state == .waiting(stale: 1))
        #expect(
            machine.connected(now: 9 * Self.second) == [
                .cancelTimer(.retry), .hold(2), .reset(1), .open(2, machine.originalURL, nil, wasLive: true),
            ])
        #expect(machine.accepted(2).contains(.accepted(2)) && !machine.isLive)
        #expect(machine.kept(2) == [.becameLive(2, isAgain: true)])
    }

    @Test func `of two connections the old one is kept when it goes on`() throws {
        var machine = try live()
        #expect(
            machine.connected(now: 0, oldRecovers: true) == [
                .hold(2), .startTimer(.race, after: Machine.raceDeadline),
            ])
        #expect(machine.sending == 1)
        #expect(machine.connected(now: 0) == [.discard])
        #expect(machine.progressed(1) == [.cancelTimer(.race), .close(2)])
        #expect(machine.sending == 1)
    }

    @Test func `the candidate takes over after the deadline, or at once when the old one is slow to recover`() throws {
        var machine = try live()
        _ = machine.connected(now: 0, oldRecovers: true)
        var actions = machine.fired(.race, now: Machine.raceDeadline)
        #expect(actions.first == .reset(1) && actions.last == .open(2, machine.originalURL, nil, wasLive: true))
        machine = try live()
        actions = machine.connected(now: 0, oldRecovers: false)
        #expect(actions.first == .hold(2) && actions.last == .open(2, machine.originalURL, nil, wasLive: true))
        #expect(machine.sending == nil && machine.measured == 2)
        machine = try live()
        _ = machine.connected(now: 0, oldRecovers: true)
        #expect(machine.failed(1, lost, now: 1, jitter: 0).last == .open(2, machine.originalURL, nil, wasLive: true))
        machine = try live()
        _ = machine.connected(now: 0, oldRecovers: true)
        #expect(machine.failed(2, lost, now: 1, jitter: 0) == [.cancelTimer(.race), .close(2)])
        #expect(machine.sending == 1)
    }

    @Test func `a redirection is followed at a keyframe, and samples wait meanwhile`() throws {
        var machine = try live()
        let other = try RTMPURL("rtmp://b/app/key")
        #expect(machine.redirected(1, to: other, scope: .global, now: 0) == [.requestKeyframe])
        let target = Machine.Destination(other, narrowest: .global)
        #expect(machine.keyframe(now: 1) == [.leave(1), .emptyQueue, .dial(target)])
        #expect(machine.acceptsSamples && machine.sending == nil)
        #expect(machine.connected(now: 2) == [.hold(2), .open(2, other, nil, wasLive: true)])
        // Nothing is thrown away.
        #expect(machine.accepted(2) == [.stopDialing, .accepted(2)])
        // When the other server fails, the original one is asked again.
        let actions = machine.failed(2, try PublishFailure(.streamRefused(words: nil)), now: 3, jitter: 0)
        #expect(actions.contains(.retarget(Machine.Destination(machine.originalURL))))
        #expect(machine.destination.url == machine.originalURL && machine.state == .waiting(stale: nil))
    }

    @Test func `the end during a redirection waits for the other server, for a time`() throws {
        var machine = try live()
        _ = machine.redirected(1, to: try RTMPURL("rtmp://b/app/key"), scope: .global, now: 0)
        _ = machine.keyframe(now: 0)
        #expect(machine.finish() == [.startTimer(.finish, after: Machine.finishDeadline)])
        var other = machine
        _ = machine.connected(now: 0)
        #expect(machine.accepted(2).suffix(2) == [.accepted(2), .finish(2)])
        #expect(other.fired(.finish, now: Machine.finishDeadline).last == .ended(nil))
    }

    @Test func `redirections are followed a few times a minute`() throws {
        var machine = try live()
        var followed = 0
        var id = 1
        for step in 0..<60 {
            let now = Int64(step) * Self.second
            let url = try RTMPURL("rtmp://h\(step)/app/key")
            guard !machine.redirected(id, to: url, scope: .global, now: now).isEmpty else { continue }
            followed += 1
            _ = machine.keyframe(now: now)
            _ = machine.connected(now: now)
            id += 1
            _ = machine.accepted(id)
            try #require(machine.sending == id)
        }
        #expect(followed == RedirectLimit.count)
        let later = try RTMPURL("rtmp://b/app/key")
        #expect(!machine.redirected(id, to: later, scope: .global, now: 61 * Self.second).isEmpty)
    }

    @Test func `a refusal with another address is followed at once, within the same limits`() throws {
        var machine = try machine()
        let home = machine.destination
        _ = machine.start(now: 0)
        for id in 1...RedirectLimit.count {
            _ = machine.connected(now: 0)
            let other = try RTMPURL("rtmp://h\(id)/app/key")
            #expect(
                machine.moved(id, to: other, scope: .global, now: 0, jitter: 0)
                    == [.close(id), .dial(Machine.Destination(other, narrowest: .global))])
        }
        // The fourth in a minute is not followed; the server of the address that was given is asked again later.
        _ = machine.connected(now: 0)
        let last = RedirectLimit.count + 1
        let actions = machine.moved(last, to: try RTMPURL("rtmp://x/app/key"), scope: .global, now: 0, jitter: 0)
        #expect(actions.starts(with: [.close(last), .retarget(home)]) && machine.state == .waiting(stale: nil))
        machine = try self.machine()
        _ = machine.start(now: 0)
        _ = machine.connected(now: 0)
        let forbidden = try RTMPURL("rtmp://b:22/app/key")
        #expect(
            machine.moved(1, to: forbidden, scope: .global, now: 0, jitter: 0).last
                == .ended(PublishFailure(.redirectForbidden(to: forbidden), home.url).withoutRetry()))
    }

    @Test(arguments: [
        ("rtmp://h:1940/app/key", "rtmp://b:1935/app", true), ("rtmp://h:1940/app/key", "rtmp://b:1940/app", true),
        ("rtmp://h:1940/app/key", "rtmp://b:22/app", false), ("rtmp://h:1940/app/key", "rtmp://b:6379/app", false),
        ("rtmp://h:1940/app/key", "rtmp://h:6379/app", true), ("rtmp://h:1940/app/key", "rtmp://h:22/app", false),
        ("rtmp://h/app/key", "rtmps://b/app", true), ("rtmps://h/app/key", "rtmps://b:8443/app", false),
        ("rtmps://h/app/key", "rtmps://b:443/app", true), ("rtmps://h/app/key", "rtmp://h/app", false),
    ]) func `a server may redirect its publisher to few ports, and never out of encryption`(
        home: String, target: String, isAllowed: Bool
    ) throws {
        let url = try RTMPURL(home)
        #expect(url.allowsRedirect(to: try RTMPURL(target + "/key")) == isAllowed)
        // A forbidden address means the present one.
        var machine = try live(home)
        _ = machine.redirected(1, to: try RTMPURL(target + "/key"), scope: .global, now: 0)
        _ = machine.keyframe(now: 0)
        #expect((machine.destination == Machine.Destination(url)) == !isAllowed)
    }

    @Test func `authentication is kept for the next connection, and forgotten when that is lost`() throws {
        var machine = try machine()
        var authentication = PublisherAuthentication(machine.originalURL, challenge: 1)
        _ = authentication.refused("authmod=adobe")
        _ = machine.start(now: 0)
        _ = machine.connected(now: 0)
        #expect(machine.authenticate(1, authentication, now: 0) == [.close(1), .dial(machine.destination)])
        #expect(machine.connected(now: 0).last == .open(2, machine.originalURL, authentication, wasLive: false))
        _ = machine.failed(2, lost, now: 0, jitter: 0)
        #expect(machine.connected(now: 0).last == .open(3, machine.originalURL, nil, wasLive: false))
    }

    @Test(arguments: [false, true])
    func `a server that closes at the stream's name, or after its yes, again and again has refused it`(
        accepts: Bool
    ) throws {
        var machine = try machine()
        _ = machine.start(now: 0)
        for id in 1..<ReconnectPolicy.silentRefusals {
            _ = machine.connected(now: 0)
            if accepts { _ = machine.accepted(id) }
            _ = machine.failed(id, lost, isSilentRefusal: true, now: 0, jitter: 0)
            #expect(machine.state == .waiting(stale: nil))
            _ = machine.fired(.retry, now: 0)
        }
        _ = machine.connected(now: 0)
        if accepts { _ = machine.accepted(ReconnectPolicy.silentRefusals) }
        let last = machine.failed(ReconnectPolicy.silentRefusals, lost, isSilentRefusal: true, now: 0, jitter: 0).last
        #expect(last == .ended(try PublishFailure(.connectionLost(nil), kind: .refused).withoutRetry()))
    }
}
