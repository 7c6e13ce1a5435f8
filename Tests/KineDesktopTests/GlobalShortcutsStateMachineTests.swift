// The exchange with the portal for keys without a bus: what comes late, twice, or in an order that no portal keeps.
import CoreTesting
import Testing

@testable import KineDesktop

@Suite struct GlobalShortcutsStateMachineTests {
    private static let session = "/org/freedesktop/portal/desktop/session/1_42/kinecast"

    private static func machine() -> GlobalShortcutsStateMachine {
        GlobalShortcutsStateMachine(
            [GlobalShortcut(id: "record", description: "Record", preferredTrigger: "LOGO+r")], of: "org.example.Keys",
            process: 7, tokenPrefix: "t")
    }

    /// A machine that has a session. The portal knew the keys before, or sends them with `code` when they are bound.
    private static func bound(
        by code: UInt32? = nil
    ) -> (machine: GlobalShortcutsStateMachine, last: [GlobalShortcutsStateMachine.Action]) {
        var machine = Self.machine()
        var last: [GlobalShortcutsStateMachine.Action] = []
        var number = 0
        func next(_ actions: [GlobalShortcutsStateMachine.Action]) {
            last = actions
            for case .call(_, let last) in actions { number = last }
        }
        func answer(_ values: BusValue...) { next(machine.handle(.answered(number: number, .success(values)))) }
        func respond(_ token: Int, _ code: UInt32, _ results: [String: BusValue]) {
            let path = "/org/freedesktop/portal/desktop/request/1_42/t_\(token)"
            answer(.objectPath(path))
            next(machine.handle(.responded(path: path, [.uint32(code), .properties(results)])))
        }
        next(machine.handle(.connected(as: ":1.42")))
        answer()
        answer(.variant(.uint32(1)))
        answer(.string(":1.7"))
        respond(1, 0, ["session_handle": .string(session)])
        let shortcut = BusValue.structure([.string("record"), .properties(["trigger_description": .string("R")])])
        let known = ["shortcuts": BusValue.array(of: "(sa{sv})", [shortcut])]
        guard let code else {
            respond(2, 0, known)
            return (machine, last)
        }
        respond(2, 0, ["shortcuts": .array(of: "(sa{sv})", [])])
        respond(3, code, known)
        return (machine, last)
    }

    @Test(arguments: [0, 1, 2, 0x7f_ab12]) func `keys that come with an answer are bound, whatever its code`(
        code: UInt32
    ) {
        #expect(Self.bound(by: code).last == [.tell(.bound(["record": "R"]))])
    }

    @Test func `a key of the open session is pressed, whatever came before`() {
        var machine = Self.bound().machine
        let values: [BusValue] = [.objectPath(Self.session), .string("record"), .uint64(1), .properties([:])]
        #expect(machine.handle(.signalled(member: "Activated", values)) == [.tell(.pressed("record", time: 1))])
        #expect(machine.handle(.signalled(member: "Activated", [.string("record")])) == [])
        #expect(machine.handle(.scopeDone) == [] && machine.handle(.sessionClosed(path: "/other")) == [])
        #expect(machine.handle(.answered(number: 1, .success([]))) == [])
        #expect(machine.handle(.portalChanged(owner: ":1.7")) == [])
        #expect(machine.handle(.sessionClosed(path: Self.session)) == [.tell(.failed(.closed))])
        #expect(machine.handle(.signalled(member: "Activated", values)) == [])
    }

    @Test func `another portal in the place of the first is asked at once`() {
        var machine = Self.bound().machine
        let actions = machine.handle(.portalChanged(owner: ":1.8"))
        #expect(actions.first == .tell(.failed(.portalLost)))
        guard case .call(let call, _)? = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(call.member == "Register")
    }

    @Test func `a thousand sequences of what a bus can bring leave no machine without a way on`() {
        var generator = SeededGenerator()
        for _ in 0..<1000 {
            var machine = Bool.random(using: &generator) ? Self.bound().machine : Self.machine()
            var number = 0
            for _ in 0..<30 {
                for case .call(_, let last) in machine.handle(Self.input(number, &generator)) { number = last }
            }
            // After any of them, the next portal is asked.
            _ = machine.handle(.busLost)
            let actions = machine.handle(.connected(as: ":1.9"))
            guard case .call(let call, _)? = actions.first else {
                Issue.record("\(actions)")
                continue
            }
            #expect(call.member == "Register")
        }
    }

    private static func input(
        _ number: Int, _ generator: inout SeededGenerator
    ) -> GlobalShortcutsStateMachine.Input {
        let path = "/org/freedesktop/portal/desktop/request/1_42/t_\(Int.random(in: 1...4, using: &generator))"
        let values: [[BusValue]] = [
            [], [.objectPath(path)], [.variant(.uint32(2))], [.string(":1.7")], [.uint32(0), .properties([:])],
            [.uint32(0), .properties(["session_handle": .string(session)])], [.uint32(1), .properties([:])],
            [.objectPath(session), .string("record")], [.objectPath(session), .array(of: "(sa{sv})", [])],
        ]
        let some = values.randomElement(using: &generator) ?? []
        let inputs: [GlobalShortcutsStateMachine.Input] = [
            .connected(as: ":1.42"), .answered(number: number, .success(some)),
            .answered(number: number, .failure(.refused(name: "org.example.No", message: ""))),
            .responded(path: path, some), .sessionClosed(path: session), .signalled(member: "Activated", some),
            .signalled(member: "ShortcutsChanged", some), .scopeDone, .portalChanged(owner: nil),
            .portalChanged(owner: ":1.8"), .configure,
        ]
        return inputs.randomElement(using: &generator) ?? .scopeDone
    }
}
