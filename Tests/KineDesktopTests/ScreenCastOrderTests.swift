// The portal's exchange in every order that signals, answers and ends may have.
import CoreTesting
import Testing

@testable import KineDesktop

extension ScreenCastStateMachineTests {
    /// What the portal, the bus and the user may do next, sensible or not.
    private enum Event: CaseIterable {
        case answers, refuses, responds, declines, interrupts, closesSession, dies, busEnds, cancels

        func happen(in simulation: inout Simulation) {
            switch self {
            case .answers:
                switch simulation.call?.member {
                case "GetAll": simulation.answer(properties())
                case "GetNameOwner": simulation.answer(.string(owner))
                case "OpenPipeWireRemote": simulation.answer(.descriptor(remote))
                default: simulation.answer(.objectPath(simulation.requestPath))
                }
            case .refuses: simulation.answer(refusal("DBus.Error.Failed"))
            case .responds:
                simulation.respond(0, streams().merging(["session_handle": .string(session)]) { $1 })
            case .declines: simulation.respond(1)
            case .interrupts: simulation.respond(2)
            case .closesSession: simulation.handle(.sessionClosed(path: session))
            case .dies: simulation.handle(.portalLost)
            case .busEnds: simulation.handle(.busLost)
            case .cancels: simulation.handle(.cancel)
            }
        }
    }

    /// What holds whatever has happened.
    private func check(_ simulation: Simulation, hasCancelled: Bool) -> Bool {
        var (opened, ended) = (0, 0)
        for event in simulation.events {
            switch event {
            case .opened: opened += 1
            case .ended: ended += 1
            case .restoreToken: break
            }
            if ended > 0, event != simulation.events.last { return false }
        }
        let isSaid = hasCancelled ? ended <= 1 : (ended == 1) == simulation.machine.isOver
        // At most a session that was given up with its token, and the one that followed.
        let sessions = simulation.calls.count { $0 == "CreateSession" }
        return isSaid && opened <= 1 && ended <= 1 && sessions <= 2 && simulation.sent.count <= sessions + 1
    }

    @Test(.tags(.slow), arguments: Stage.allCases, [nil, "old"])
    private func `whatever happens next, in any order, one end is told, and nothing behind it`(
        stage: Stage, restoreToken: String?
    ) {
        let (start, events) = (simulation(at: stage, restoreToken: restoreToken), Event.allCases)
        let length = 4
        for number in 0..<(0..<length).reduce(1, { count, _ in count * events.count }) {
            var simulation = start
            var (rest, hasCancelled, isOver, before) = (number, false, false, 0)
            for _ in 0..<length {
                let event = events[rest % events.count]
                rest /= events.count
                (isOver, before) = (
                    simulation.machine.isOver, simulation.events.count + simulation.sent.count + simulation.calls.count
                )
                event.happen(in: &simulation)
                if isOver, simulation.events.count + simulation.sent.count + simulation.calls.count != before {
                    Issue.record("\(stage), sequence \(number): something after the end")
                    return
                }
                if event == .cancels { hasCancelled = true }
            }
            guard check(simulation, hasCancelled: hasCancelled) else {
                Issue.record("\(stage), sequence \(number): \(simulation.events), \(simulation.sent.map(\.path))")
                return
            }
        }
    }
}
