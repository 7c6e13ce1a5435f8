// Every event in every state of a destination: the driver's actions, and the phase after it.
import KineWire
import Testing

@testable import KineSupervision

@Suite struct ExtensionTransitionTests {
    private typealias Event = ExtensionStateMachine.Event
    private typealias Action = ExtensionStateMachine.Action
    private typealias Tests = ExtensionStateMachineTests

    private enum State: CaseIterable {
        case waiting, launching, starting, running, paused, finishing, leaving, killed, ended

        /// The way there, all at instant 0.
        var events: [Event] {
            let launched: [Event] = [.timePassed, .launched(pid: 7)]
            let running = launched + [.startSent, .report(.started)]
            return switch self {
            case .waiting: []
            case .launching: launched
            case .starting: launched + [.startSent]
            case .running: running
            case .paused: launched + [.startSent, .pauseRequested, .report(.started)]
            case .finishing: running + [.finishRequested]
            case .leaving: running + [.report(.failed("No."))]
            case .killed: running + [.protocolViolation("sent an invalid message")]
            case .ended: [.impossible("No.")]
            }
        }

        var machine: ExtensionStateMachine {
            var machine = Tests.machine()
            for event in events { _ = machine.handle(event, at: 0) }
            return machine
        }
    }

    private static func phase(_ phase: DestinationPhase) -> Action { .announce(.phase(phase)) }

    private static let exit = Event.exited(.exited(status: 1), stderrTail: nil, cappedAt: nil)
    private static let crash = DestinationEnding.crashed("exit status 1")
    private static let violation = DestinationEnding.crashed("sent an invalid message")

    /// The actions of each event at instant 0, by state; none in the states that are left out.
    private static let table: [(event: Event, actions: [State: [Action]])] = [
        (.timePassed, [.waiting: [.launch]]),
        (
            .launched(pid: 8),
            Dictionary(
                uniqueKeysWithValues: State.allCases.map { ($0, $0 == .waiting ? [phase(.launching)] : [.kill]) })
        ),
        (.startSent, [.launching: [phase(.starting)]]),
        (.report(.started), [.starting: [.beginFeeding, phase(.live)]]),
        (.report(.live(false, reason: nil)), [.running: [phase(.reconnecting)]]),
        (.report(.heartbeat), [:]),
        (.resumed(after: 60_000_000_000), [:]),
        (.report(.statistics(.init())), [:]),
        (
            .report(.state("good")),
            heard { .announce(.state("good")) }
        ),
        (.report(.warning("slow")), heard { .announce(.warning("slow")) }),
        (.report(.links(BroadcastLinks(page: "a"))), heard { .announce(.link("a")) }),
        (.report(.needsKeyframe), [.running: [.requestKeyframe], .paused: [.requestKeyframe]]),
        (
            .report(.encoding(.init(averageBitrate: 1000))),
            [
                .running: [.requestEncoding(.init(averageBitrate: 1000))],
                .paused: [.requestEncoding(.init(averageBitrate: 1000))],
            ]
        ),
        (.report(.failed("No.")), [.running: [.endFeeding], .paused: [.endFeeding]]),
        (.report(.finished), [.running: [.endFeeding], .paused: [.endFeeding]]),
        (.memory(resident: Tests.limit + 1), killed),
        (.memory(resident: 1), [:]),
        (.held(since: 0), [:]),
        (.protocolViolation("sent an invalid message"), killed),
        (.formatOutgrown, killed),
        (.channelClosed, [:]),
        (
            exit,
            [
                .launching: [.announce(.restarting(after: crash))], .starting: [.announce(.restarting(after: crash))],
                .running: [.endFeeding, .announce(.restarting(after: crash))],
                .paused: [.endFeeding, .announce(.restarting(after: crash))],
                .finishing: [.announce(.ended(crash))], .leaving: [.announce(.ended(.failed("No.")))],
                .killed: [.announce(.restarting(after: violation))],
            ]
        ),
        (.impossible("No."), killed.merging([.waiting: [.announce(.ended(.failed("No.")))]]) { $1 }),
        (.pauseRequested, [:]),
        (.resumeRequested, [.paused: [.send(.resume), phase(.live)]]),
        (.annotateRequested([:]), [.running: [.send(.annotate([:]))], .paused: [.send(.annotate([:]))]]),
        (.linkRenewalRequested, [:]),
        (
            .screenLockChanged(true),
            [.running: [.send(.screenLocked(true))], .paused: [.send(.screenLocked(true))]]
        ),
        (
            .finishRequested,
            [
                .waiting: [.announce(.ended(Tests.neverLive))], .launching: [.kill],
                .starting: [.send(.finish(seconds: 5)), phase(.finishing)],
                .running: [.endFeeding, .send(.finish(seconds: 5)), phase(.finishing)],
                .paused: [.endFeeding, .send(.finish(seconds: 5)), phase(.finishing)],
            ]
        ),
    ]

    /// While its ending is not known, it is killed.
    private static let killed: [State: [Action]] = [
        .launching: [.kill], .starting: [.kill], .running: [.endFeeding, .kill], .paused: [.endFeeding, .kill],
        .finishing: [.kill],
    ]

    /// While its ending is not known, its words are passed on.
    private static func heard(_ action: () -> Action) -> [State: [Action]] {
        killed.mapValues { _ in [action()] }
    }

    @Test func `each event in each state does what the table says`() {
        for (event, actions) in Self.table {
            for state in State.allCases {
                var machine = state.machine
                let found = machine.handle(event, at: 0)
                #expect(found == actions[state] ?? [], "\(event) while \(state)")
                let announced = found.compactMap { if case .announce(.phase(let phase), _) = $0 { phase } else { nil } }
                if let last = announced.last { #expect(machine.status.phase == last) }
            }
        }
    }

    /// The instant at which each state ends by itself, and its actions then.
    @Test func `each state that may not last has its deadline`() {
        let deadlines: [State: (seconds: Double, actions: [Action])] = [
            .waiting: (0, [.launch]), .starting: (10, [.kill]), .running: (30, [.endFeeding, .kill]),
            .paused: (30, [.endFeeding, .kill]), .finishing: (5, [.kill]), .leaving: (1, [.kill]),
        ]
        for state in State.allCases {
            var machine = state.machine
            let deadline = deadlines[state].map { Int64($0.seconds * 1e9) }
            #expect(machine.nextDeadline == deadline, "\(state)")
            guard let deadline else { continue }
            #expect(machine.handle(.timePassed, at: deadline - 1) == [], "\(state)")
            #expect(machine.handle(.timePassed, at: deadline) == deadlines[state]?.actions, "\(state)")
        }
    }
}
