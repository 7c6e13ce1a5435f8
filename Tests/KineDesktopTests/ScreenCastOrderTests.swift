// The portal's exchange in every order that signals, answers and ends may have.
import CoreTesting
import Testing

@testable import KineDesktop

extension ScreenCastStateMachineTests {
    /// What the portal, the bus and the user may do next, sensible or not.
    private enum Event: CaseIterable {
        case answers, refuses, responds, declines, interrupts, closesSession, dies, busEnds, cancels

        func happen(in world: inout World) {
            switch self {
            case .answers:
                switch world.call?.member {
                case "GetAll": world.answer(properties())
                case "GetNameOwner": world.answer(.string(owner))
                case "OpenPipeWireRemote": world.answer(.descriptor(remote))
                default: world.answer(.objectPath(world.requestPath))
                }
            case .refuses: world.answer(refusal("DBus.Error.Failed"))
            case .responds:
                world.respond(0, streams().merging(["session_handle": .string(session)]) { $1 })
            case .declines: world.respond(1)
            case .interrupts: world.respond(2)
            case .closesSession: world.handle(.sessionClosed(path: session))
            case .dies: world.handle(.portalLost)
            case .busEnds: world.handle(.busLost)
            case .cancels: world.handle(.cancel)
            }
        }
    }

    /// What holds whatever has happened.
    private func check(_ world: World, hasCancelled: Bool) -> Bool {
        var (opened, ended) = (0, 0)
        for event in world.events {
            switch event {
            case .opened: opened += 1
            case .ended: ended += 1
            case .restoreToken: break
            }
            if ended > 0, event != world.events.last { return false }
        }
        let isSaid = hasCancelled ? ended <= 1 : (ended == 1) == world.machine.isOver
        // At most a session that was given up with its token, and the one that followed.
        let sessions = world.calls.count { $0 == "CreateSession" }
        return isSaid && opened <= 1 && ended <= 1 && sessions <= 2 && world.sent.count <= sessions + 1
    }

    @Test(.tags(.slow), arguments: Stage.allCases, [nil, "old"])
    private func `whatever happens next, in any order, one end is told, and nothing behind it`(
        stage: Stage, restoreToken: String?
    ) {
        let (start, events) = (world(at: stage, restoreToken: restoreToken), Event.allCases)
        let length = 4
        for number in 0..<(0..<length).reduce(1, { count, _ in count * events.count }) {
            var world = start
            var (rest, hasCancelled, isOver, before) = (number, false, false, 0)
            for _ in 0..<length {
                let event = events[rest % events.count]
                rest /= events.count
                (isOver, before) = (world.machine.isOver, world.events.count + world.sent.count + world.calls.count)
                event.happen(in: &world)
                if isOver, world.events.count + world.sent.count + world.calls.count != before {
                    Issue.record("\(stage), sequence \(number): something after the end")
                    return
                }
                if event == .cancels { hasCancelled = true }
            }
            guard check(world, hasCancelled: hasCancelled) else {
                Issue.record("\(stage), sequence \(number): \(world.events), \(world.sent.map(\.path))")
                return
            }
        }
    }
}
