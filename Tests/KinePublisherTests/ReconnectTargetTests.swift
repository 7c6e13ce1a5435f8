// The reconnect machine with a target that knows nothing of RTMP.
import KinePublisher
import Testing

@Suite struct ReconnectTargetTests {
    /// A server that asks nobody who publishes, and may redirect its publisher within its own domain.
    private struct Server: PublishTarget {
        typealias Authentication = Never

        struct Failure: ConnectionFailure {
            var kind: ConnectionFailureKind
            var isRetried = true
            var description = "The server is away."
        }

        var host: String

        func allowsRedirect(to target: Server) -> Bool { target.host.hasSuffix(host) }

        func failure(_ cause: ReconnectFailureCause<Server>) -> Failure {
            switch cause {
            case .networkAway: Failure(kind: .lost)
            case .neverAccepted: Failure(kind: .unreachable)
            case .redirectForbidden: Failure(kind: .refused)
            case .redirectedTooOften: Failure(kind: .busy)
            }
        }
    }

    private let home = Server(host: "example.org")

    @Test func `a stream is lost and tried again, whatever its protocol is`() {
        var machine = ReconnectStateMachine(home, policy: ReconnectPolicy())
        #expect(machine.start(now: 0) == [.dial(machine.destination)])
        #expect(machine.connected(now: 0) == [.hold(1), .open(1, home, nil, wasLive: false)])
        #expect(machine.accepted(1) == [.emptyQueue, .stopDialing, .accepted(1)])
        #expect(machine.kept(1) == [.becameLive(1, isAgain: false)])
        let lost = Server.Failure(kind: .lost)
        #expect(
            machine.failed(1, lost, now: 0, jitter: 0.5) == [
                .close(1), .emptyQueue, .interrupted(lost, retryAfter: 1_000_000_000),
                .startTimer(.retry, after: 1_000_000_000),
            ])
        #expect(machine.fired(.retry, now: 0) == [.dial(machine.destination)])
        #expect(machine.finish().last == .ended(nil))
    }

    @Test func `the target decides where its server may lead, and with which failure a stream ends`() {
        var machine = ReconnectStateMachine(home, policy: ReconnectPolicy())
        _ = machine.start(now: 0)
        var other = machine
        _ = machine.connected(now: 0)
        let near = Server(host: "b.example.org")
        #expect(
            machine.moved(1, to: near, scope: .global, now: 0, jitter: 0.5)
                == [.close(1), .dial(.init(near, narrowest: .global))])
        #expect(machine.finish().last == .ended(Server.Failure(kind: .unreachable)))
        _ = other.connected(now: 0)
        let far = Server(host: "example.net")
        let actions = other.moved(1, to: far, scope: .global, now: 0, jitter: 0.5)
        #expect(actions.last == .ended(Server.Failure(kind: .refused).withoutRetry()))
    }
}
