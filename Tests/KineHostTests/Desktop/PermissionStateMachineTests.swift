// One question, in every order of events.
import CoreTesting
import KineWire
import Testing

@testable import KineHost

@Suite struct PermissionStateMachineTests {
    private typealias Machine = PermissionStateMachine
    private static let both: Set<PermissionKind> = [.screen, .microphone]

    private static let events: [PermissionStateMachine.Event] = [
        .known(declined: [], missing: []), .known(declined: [], missing: [.screen]),
        .known(declined: [], missing: [.screen], hasStudio: true), .known(declined: [.microphone], missing: [.screen]),
        .shownOnDesktop, .notOnDesktop, .notInTerminal, .answeredOnDesktop(isAllowed: true),
        .answeredOnDesktop(isAllowed: false), .closed, .kept, .time(.max), .answeredInTerminal(isAllowed: true),
        .windows(isOpen: true), .windows(isOpen: false), .answeredInWindow(isAllowed: true),
        .answeredInWindow(isAllowed: nil),
    ]

    /// What a machine has done.
    private struct Past: Hashable {
        var machine = ""
        var ends = 0
        var isOnDesktop = false
        var isInTerminal = false
        var hasWindows = false
        var kept: AppPermissions.Decision?
        var declined: Set<PermissionKind> = []
        var missing: Set<PermissionKind>?
    }

    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func `nothing is allowed without a person's word, and each question ends once, in every order`(
        hasDesktop: Bool, hasTerminal: Bool
    ) {
        var seen: Set<Past> = []
        var open = [(machine: Machine(hasDesktop: hasDesktop, hasTerminal: hasTerminal), past: Past())]
        while let (machine, past) = open.popLast() {
            for event in Self.events {
                var (machine, next) = (machine, past)
                step(&machine, &next, event)
                next.machine = "\(machine)"
                if seen.insert(next).inserted { open.append((machine, next)) }
            }
            // Time and the file's answer end every question that has begun.
            var (ended, last) = (machine, past)
            for event in Array(repeating: Machine.Event.time(.max), count: 5) + [.kept] { step(&ended, &last, event) }
            guard last.ends == (last.missing == nil ? 0 : 1), !last.isOnDesktop, ended.deadline == nil,
                ended.openKinds == nil
            else {
                Issue.record("\(past), \(last)")
                return
            }
        }
        #expect(seen.count > 10)
    }

    private func step(_ machine: inout Machine, _ past: inout Past, _ event: Machine.Event) {
        if case .known(let declined, let missing, _) = event, past.missing == nil {
            (past.declined, past.missing) = (declined, missing)
        }
        let before = past
        if case .windows(let isOpen) = event { past.hasWindows = isOpen }
        if event == .notInTerminal { past.isInTerminal = false }
        for action in machine.handle(event, at: 0) {
            switch action {
            case .askOnDesktop:
                #expect(!past.isOnDesktop && !past.isInTerminal && past.ends == 0)
                past.isOnDesktop = true
            case .askInTerminal:
                #expect(!past.isOnDesktop && !past.isInTerminal && past.ends == 0)
                past.isInTerminal = true
            case .withdrawFromDesktop: past.isOnDesktop = false
            case .withdrawFromTerminal:
                #expect(past.isInTerminal)
                past.isInTerminal = false
            case .keep(let decision, _):
                #expect(past.kept == nil && past.ends == 0, "the first answer counts")
                past.kept = decision
                switch event {
                case .answeredOnDesktop(let isAllowed):
                    #expect(before.isOnDesktop && decision == (isAllowed ? .granted : .declined))
                case .answeredInTerminal(let isAllowed):
                    #expect(before.isInTerminal && decision == (isAllowed ? .granted : .declined))
                    past.isInTerminal = false
                case .answeredInWindow(let isAllowed):
                    #expect(before.hasWindows && decision == (isAllowed == true ? .granted : .declined))
                default: Issue.record("\(event) is kept")
                }
                #expect(!past.isOnDesktop && !past.isInTerminal, "the question is taken back elsewhere")
            case .allow:
                past.ends += 1
                #expect(past.kept == .granted || past.missing == [] && past.declined == [])
            case .refuse(let refusal, let kinds):
                past.ends += 1
                #expect(kinds == (refusal == .declinedBefore ? past.declined : past.missing))
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

    @Test func `the studio's windows show what the desktop asks, and the first answer counts`() {
        var machine = Machine(hasDesktop: true, hasTerminal: false)
        _ = machine.handle(.windows(isOpen: true), at: 0)
        #expect(machine.openKinds == nil, "the earlier decisions are not known")
        #expect(machine.handle(.known(declined: [], missing: [.screen]), at: 0) == [.askOnDesktop([.screen])])
        _ = machine.handle(.shownOnDesktop, at: 0)
        #expect(machine.openKinds == [.screen])
        var other = machine
        #expect(
            machine.handle(.answeredInWindow(isAllowed: true), at: 0)
                == [.withdrawFromDesktop, .keep(.granted, [.screen])])
        #expect(machine.openKinds == nil)
        #expect(machine.handle(.answeredOnDesktop(isAllowed: false), at: 0) == [], "too late")
        #expect(
            other.handle(.answeredInWindow(isAllowed: nil), at: 0)
                == [.withdrawFromDesktop, .refuse(.notAnswered, [.screen])])
    }

    @Test func `a notification that is closed leaves the question in the windows, and appears again without them`() {
        var machine = Machine(hasDesktop: true, hasTerminal: false, hasWindows: true)
        _ = machine.handle(.known(declined: [], missing: [.screen]), at: 0)
        _ = machine.handle(.shownOnDesktop, at: 0)
        #expect(machine.handle(.closed, at: 0) == [.withdrawFromDesktop])
        #expect(machine.openKinds == [.screen])
        _ = machine.handle(.windows(isOpen: false), at: 0)
        #expect(machine.deadline == Machine.windowTimeout, "the page may be reloaded")
        #expect(machine.handle(.answeredInWindow(isAllowed: true), at: 0) == [], "no window shows it")
        var reloaded = machine
        _ = reloaded.handle(.windows(isOpen: true), at: 1)
        #expect(reloaded.deadline == 1 + Machine.personTimeout)
        let now = Machine.windowTimeout
        #expect(machine.handle(.time(now), at: now) == [.askOnDesktop([.screen])])
        _ = machine.handle(.shownOnDesktop, at: now)
        #expect(machine.handle(.closed, at: now) == [.withdrawFromDesktop, .refuse(.notAnswered, [.screen])])
    }

    @Test func `without a desktop, a studio that runs has three seconds to show the question`() {
        var machine = Machine(hasDesktop: false, hasTerminal: false)
        #expect(machine.handle(.known(declined: [], missing: [.screen], hasStudio: true), at: 0) == [])
        var empty = machine
        #expect(empty.handle(.time(Machine.windowTimeout), at: 0) == [.refuse(.nobodyToAsk, [.screen])])
        _ = machine.handle(.windows(isOpen: true), at: 0)
        #expect(machine.handle(.answeredInWindow(isAllowed: false), at: 0) == [.keep(.declined, [.screen])])
    }

    @Test func `beside a window, an app's word for what its terminal answered does not count`() {
        var shown = Machine(hasDesktop: false, hasTerminal: true, hasWindows: true)
        #expect(shown.handle(.known(declined: [], missing: [.screen]), at: 0) == [])
        #expect(shown.handle(.answeredInTerminal(isAllowed: true), at: 0) == [])
        #expect(shown.handle(.answeredInWindow(isAllowed: true), at: 0) == [.keep(.granted, [.screen])])
        var opened = Machine(hasDesktop: false, hasTerminal: true)
        #expect(opened.handle(.known(declined: [], missing: [.screen]), at: 0) == [.askInTerminal([.screen])])
        #expect(opened.handle(.windows(isOpen: true), at: 0) == [.withdrawFromTerminal])
        #expect(opened.handle(.answeredInTerminal(isAllowed: true), at: 0) == [])
        _ = opened.handle(.windows(isOpen: false), at: 0)
        let now = Machine.windowTimeout
        #expect(opened.handle(.time(now), at: now) == [.askInTerminal([.screen])])
        var awaited = Machine(hasDesktop: false, hasTerminal: true)
        #expect(awaited.handle(.known(declined: [], missing: [.screen], hasStudio: true), at: 0) == [])
        #expect(awaited.handle(.answeredInTerminal(isAllowed: true), at: 0) == [])
        #expect(awaited.handle(.time(now), at: now) == [.askInTerminal([.screen])])
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
        #expect(AskingProgram(executable: "/usr/bin/kinecast", commands: commands) == .commandLine)
        #expect(
            AskingProgram(executable: "/home/a/kinecast", commands: commands)
                == .program(executable: "/home/a/kinecast"))
        #expect(AskingProgram(executable: nil, commands: commands) == .unknown, "a hidden one may be any program")
        let own = AskingProgram.own(beside: "/nowhere/libexec/kinecast/kinecast-engine")
        for program in ["bin/kinecast", "libexec/kinecast/kinecast-studio", "libexec/kinecast/kinecast-tray"] {
            #expect(AskingProgram(executable: "/nowhere/\(program)", commands: own) == .commandLine)
        }
        #expect(AskingProgram(executable: "/nowhere/libexec/kinecast/kinecast-publish", commands: own) != .commandLine)
    }
}
