// One question, in every order of events up to a length.
import CoreTesting
import KineWire
import Testing

@testable import KineHost

@Suite struct PermissionStateMachineTests {
    private typealias Machine = PermissionStateMachine
    private static let both: Set<PermissionKind> = [.screen, .microphone]

    private static let events: [PermissionStateMachine.Event] = [
        .known(declined: [], missing: []), .known(declined: [], missing: [.screen]),
        .known(declined: [.microphone], missing: [.screen]), .shownOnDesktop, .notOnDesktop, .notInTerminal,
        .answeredOnDesktop(isAllowed: true), .answeredOnDesktop(isAllowed: false), .closed, .kept, .time(.max),
        .answeredInTerminal(isAllowed: true),
    ]

    /// What a machine has done.
    private struct Past {
        var isAllowed: Bool?
        var ends = 0
        var isOnDesktop = false
        var isInTerminal = false
        var hasAnswer: Bool?
        var kept: AppPermissions.Decision?
        var asked = 0
        var known: Machine.Event?
    }

    @Test(.tags(.slow), arguments: [(false, false), (false, true), (true, false), (true, true)])
    func `nothing is allowed without a person's word, and each question ends once, in every order`(
        hasDesktop: Bool, hasTerminal: Bool
    ) {
        let length = 5
        let count = (0..<length).reduce(1) { count, _ in count * Self.events.count }
        for number in 0..<count {
            var machine = Machine(hasDesktop: hasDesktop, hasTerminal: hasTerminal)
            var past = Past()
            var rest = number
            for _ in 0..<length {
                step(&machine, &past, Self.events[rest % Self.events.count], hasDesktop, hasTerminal)
                rest /= Self.events.count
            }
            // Time and the file's answer end every question that has begun.
            for event in [Machine.Event.time(.max), .time(.max), .kept] {
                step(&machine, &past, event, hasDesktop, hasTerminal)
            }
            guard past.ends == (past.known == nil ? 0 : 1), !past.isOnDesktop, machine.deadline == nil else {
                Issue.record("sequence \(number): \(past)")
                return
            }
        }
    }

    private func step(
        _ machine: inout Machine, _ past: inout Past, _ event: Machine.Event, _ hasDesktop: Bool, _ hasTerminal: Bool
    ) {
        if case .known = event, past.known == nil { past.known = event }
        let (wasOnDesktop, wasInTerminal) = (past.isOnDesktop, past.isInTerminal)
        for action in machine.handle(event, at: 0) {
            switch action {
            case .askOnDesktop:
                #expect(hasDesktop && past.asked == 0)
                past.isOnDesktop = true
                past.asked += 1
            case .askInTerminal:
                #expect(hasTerminal && !past.isOnDesktop)
                past.isInTerminal = true
                past.asked += 1
            case .withdrawFromDesktop: past.isOnDesktop = false
            case .keep(let decision, _):
                #expect(past.kept == nil)
                past.kept = decision
                switch event {
                case .answeredOnDesktop(let isAllowed):
                    #expect(wasOnDesktop && decision == (isAllowed ? .granted : .declined))
                case .answeredInTerminal(let isAllowed):
                    #expect(wasInTerminal && decision == (isAllowed ? .granted : .declined))
                default: Issue.record("\(event) is kept")
                }
            case .allow:
                past.ends += 1
                #expect(past.kept == .granted || past.known == .known(declined: [], missing: []))
            case .refuse(let refusal, let kinds):
                past.ends += 1
                guard case .known(let declined, let missing) = past.known else {
                    Issue.record("\(refusal) before anything is known")
                    continue
                }
                #expect(kinds == (refusal == .declinedBefore ? declined : missing))
            }
        }
    }

    @Test func `who is asked depends on who is there`() {
        var nobody = Machine(hasDesktop: false, hasTerminal: false)
        #expect(nobody.handle(.known(declined: [], missing: [.screen]), at: 0) == [.refuse(.nobodyToAsk, [.screen])])
        var terminal = Machine(hasDesktop: false, hasTerminal: true)
        #expect(terminal.handle(.known(declined: [], missing: [.screen]), at: 0) == [.askInTerminal([.screen])])
        var desktop = Machine(hasDesktop: true, hasTerminal: true)
        #expect(desktop.handle(.known(declined: [], missing: Self.both), at: 0) == [.askOnDesktop(Self.both)])
        #expect(desktop.handle(.notOnDesktop, at: 0) == [.withdrawFromDesktop, .askInTerminal(Self.both)])
    }

    @Test func `a desktop has ten seconds to show the question, and a person a minute to answer`() {
        var machine = Machine(hasDesktop: true, hasTerminal: false)
        _ = machine.handle(.known(declined: [], missing: [.screen]), at: 0)
        #expect(machine.deadline == 10_000_000_000)
        #expect(machine.handle(.time(9_999_999_999), at: 9_999_999_999) == [])
        _ = machine.handle(.shownOnDesktop, at: 1_000_000_000)
        #expect(machine.deadline == 61_000_000_000)
        #expect(
            machine.handle(.time(61_000_000_000), at: 61_000_000_000)
                == [.withdrawFromDesktop, .refuse(.notAnswered, [.screen])])
    }

    @Test func `a command grants what is missing and nothing else`() {
        #expect(
            PermissionKind.grantCommand([.microphone, .screen], to: "/opt/my app", identifier: "org.example.App")
                == "kinecast permissions grant '/opt/my app' --id org.example.App --screen --microphone")
        #expect(
            PermissionKind.grantCommand([.camera], to: "/opt/app") == "kinecast permissions grant /opt/app --camera")
    }

    @Test func `the program that asks is known by its executable, and kinecast by its place`() {
        let commands = ["/usr/bin/kinecast"]
        #expect(AskingProgram(executable: "/usr/bin/kinecast", name: "kinecast", commands: commands) == .commandLine)
        #expect(
            AskingProgram(executable: "/home/a/kinecast", name: "kinecast", commands: commands)
                == .program(executable: "/home/a/kinecast"))
        #expect(AskingProgram(executable: nil, name: "kinecast\n", commands: commands) == .commandLine)
        #expect(AskingProgram(executable: nil, name: "other\n", commands: commands) == .unknown)
    }
}
