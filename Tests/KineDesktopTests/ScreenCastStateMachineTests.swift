// The portal's exchange without a bus: each step with each failure and each end. Every order of them is in ScreenCastOrderTests.swift, what
// nobody should send in ScreenCastNonsenseTests.swift.
import SystemPackage
import Testing

@testable import KineDesktop

@Suite struct ScreenCastStateMachineTests {
    typealias Machine = ScreenCastStateMachine
    typealias Failure = ScreenCastSession.Error

    static let owner = ":1.7"
    static let ownName = ":1.42"
    static let requests = "/org/freedesktop/portal/desktop/request/1_42"
    static let session = "/org/freedesktop/portal/desktop/session/1_42/s"
    static let remote = BusDescriptor(adopting: -1)

    /// A machine and what it has said; the rest of the simulation is the test's.
    struct Simulation {
        var machine: Machine
        /// The last call that has an answer to come.
        var call: BusCall?
        var number = 0
        var sent: [BusCall] = []
        var events: [ScreenCastSession.Event] = []
        var subscriptions: [String] = []
        var calls: [String] = []

        init(
            _ target: ScreenCastRequest.Target = .monitor, showsCursor: Bool = true, restoreToken: String? = nil
        ) {
            machine = Machine(
                ScreenCastRequest(target, showsCursor: showsCursor), restoreToken: restoreToken, tokenPrefix: "t")
        }

        mutating func handle(_ input: Machine.Input) {
            for action in machine.handle(input) {
                switch action {
                case .call(let call, let number):
                    self.call = call
                    self.number = number
                    calls.append(call.member)
                case .send(let call): sent.append(call)
                case .subscribe(let portal): subscriptions.append(portal)
                case .tell(let event): events.append(event)
                }
            }
        }

        mutating func answer(_ answer: BusConnection.Answer) { handle(.answered(number: number, answer)) }
        mutating func answer(_ values: BusValue...) { answer(.success(values)) }

        var options: [String: BusValue] { call?.arguments.last?.asProperties ?? [:] }
        /// The path of the request that is under way, as its token gives it.
        var requestPath: String { "\(requests)/\(options["handle_token"]?.asString ?? "")" }

        mutating func respond(_ code: UInt32 = 0, _ results: [String: BusValue] = [:], path: String? = nil) {
            handle(.responded(path: path ?? requestPath, [.uint32(code), .properties(results)]))
        }

        /// Answers the call with the request's path, and responds.
        mutating func finishRequest(_ code: UInt32 = 0, _ results: [String: BusValue] = [:]) {
            answer(.objectPath(requestPath))
            respond(code, results)
        }

        var failure: Failure? { if case .ended(let failure) = events.last { failure } else { nil } }
    }

    /// The steps, in order.
    enum Stage: Int, CaseIterable, Comparable {
        case connecting
        case readingProperties
        case findingPortal
        case creating
        case created
        case selecting
        case selected
        case starting
        case started
        case openingRemote
        case open

        static func < (one: Stage, other: Stage) -> Bool { one.rawValue < other.rawValue }

        /// A request is under way, of which the call is answered or not.
        var isRequest: Bool { self >= .creating && self <= .started }
        var hasSession: Bool { self >= .selecting }
    }

    static func properties(types: UInt32 = 3, cursors: UInt32 = 7) -> BusValue {
        .properties([
            "version": .uint32(5), "AvailableSourceTypes": .uint32(types), "AvailableCursorModes": .uint32(cursors),
        ])
    }

    static func streams(_ properties: [String: BusValue] = [:], node: UInt32 = 9) -> [String: BusValue] {
        ["streams": .array(of: "(ua{sv})", [.structure([.uint32(node), .properties(properties)])])]
    }

    /// Brings a simulation to a step, without its failures.
    func bring(_ simulation: inout Simulation, to stage: Stage, _ properties: BusValue = Self.properties()) {
        let steps: [(Stage, (inout Simulation) -> Void)] = [
            (.readingProperties, { $0.handle(.connected(as: Self.ownName)) }),
            (.findingPortal, { $0.answer(properties) }),
            (.creating, { $0.answer(.string(Self.owner)) }),
            (.created, { $0.answer(.objectPath($0.requestPath)) }),
            (.selecting, { $0.respond(0, ["session_handle": .string(Self.session)]) }),
            (.selected, { $0.answer(.objectPath($0.requestPath)) }),
            (.starting, { $0.respond() }),
            (.started, { $0.answer(.objectPath($0.requestPath)) }),
            (.openingRemote, { $0.respond(0, Self.streams()) }),
            (.open, { $0.answer(.descriptor(Self.remote)) }),
        ]
        for (reached, step) in steps where reached <= stage { step(&simulation) }
    }

    func simulation(at stage: Stage, restoreToken: String? = nil) -> Simulation {
        var simulation = Simulation(restoreToken: restoreToken)
        bring(&simulation, to: stage)
        return simulation
    }

    static func refusal(_ name: String) -> BusConnection.Answer {
        .failure(.refused(name: "org.freedesktop.\(name)", message: "a\nreason"))
    }

    // MARK: The way to a stream

    @Test func `the portal is asked step by step, and signals are subscribed to before the first request`() throws {
        var simulation = Simulation()
        #expect(simulation.call == nil, "nothing is asked before the bus has given a name")
        bring(&simulation, to: .creating)
        #expect(simulation.subscriptions == [Self.owner])
        let first = simulation.options
        #expect(simulation.call?.destination == Self.owner, "not a portal that is started instead of this one")
        simulation.finishRequest(0, ["session_handle": .string(Self.session)])
        #expect(
            simulation.options == [
                "handle_token": simulation.options["handle_token"] ?? .byte(0), "types": .uint32(1),
                "multiple": .boolean(false), "cursor_mode": .uint32(4), "persist_mode": .uint32(2),
            ])
        #expect(simulation.call?.arguments.first == .objectPath(Self.session))
        #expect(first["handle_token"] != simulation.options["handle_token"])
        simulation.finishRequest()
        #expect(simulation.call?.arguments.map(\.type) == ["o", "s", "a{sv}"])
        simulation.finishRequest(
            0,
            Self.streams([
                "position": .structure([.int32(-5), .int32(7)]), "size": .structure([.int32(640), .int32(480)]),
                "source_type": .uint32(1), "pipewire-serial": .uint64(1 << 40), "id": .string("x"),
            ]))
        #expect(simulation.events == [])
        simulation.answer(.descriptor(Self.remote))
        var stream = ScreenCastStream(node: 9, serial: 1 << 40, cursorMode: .metadata)
        stream.position = .init(x: -5, y: 7)
        stream.size = .init(width: 640, height: 480)
        stream.target = .monitor
        #expect(simulation.events == [.opened(stream, remote: Self.remote)])
        #expect(
            simulation.calls == [
                "GetAll", "GetNameOwner", "CreateSession", "SelectSources", "Start", "OpenPipeWireRemote",
            ])
        #expect(simulation.sent == [])
        #expect(!simulation.machine.isOver)
    }

    @Test(arguments: [Stage.creating, .selecting, .starting])
    private func `a response may come before its call is answered, and the answer then changes nothing`(stage: Stage) {
        var simulation = simulation(at: stage)
        let (call, number, path) = (simulation.call, simulation.number, simulation.requestPath)
        let results: [String: BusValue] =
            switch stage {
            case .creating: ["session_handle": .objectPath(Self.session)]
            case .selecting: [:]
            default: Self.streams()
            }
        simulation.respond(path: "\(Self.requests)/another")
        #expect(simulation.call == call)
        simulation.respond(0, results)
        let next = simulation.call
        #expect(next != call && simulation.failure == nil)
        simulation.handle(.answered(number: number, .success([.objectPath(path)])))
        #expect(simulation.call == next && simulation.failure == nil)
    }

    @Test func `responses of other requests change nothing, however many there are`() {
        var simulation = simulation(at: .created)
        for number in 0..<100 { simulation.respond(1, path: "\(Self.requests)/\(number)") }
        #expect(simulation.events == [] && simulation.calls.last == "CreateSession")
        simulation = self.simulation(at: .creating)
        for number in 0..<100 { simulation.respond(1, path: "\(Self.requests)/\(number)") }
        simulation.finishRequest(0, ["session_handle": .string(Self.session)])
        #expect(simulation.calls.last == "SelectSources")
    }

    // MARK: What is asked for

    @Test(arguments: ScreenCastRequest.Target.allCases)
    func `the kind of source is the one that is wanted, if the portal has it`(target: ScreenCastRequest.Target) {
        var other = Simulation(target)
        bring(&other, to: .findingPortal, Self.properties(types: 7 & ~target.sourceType))
        #expect(other.failure == .notOffered(target) && other.machine.isOver)
        var none = Simulation(target)
        bring(&none, to: .findingPortal, Self.properties(types: 0))
        #expect(none.failure == .noPortal, "a portal without a backend")
        var own = Simulation(target)
        bring(&own, to: .selecting, Self.properties(types: target.sourceType))
        #expect(own.options["types"] == .uint32(target.sourceType))
    }

    @Test(arguments: 0..<8 as Range<UInt32>, [false, true])
    func
        `the cursor comes as metadata where that is offered, else in the frames, and not at all where it is not wanted`(
            offered: UInt32, showsCursor: Bool
        ) throws
    {
        var simulation = Simulation(showsCursor: showsCursor)
        bring(&simulation, to: .selecting, Self.properties(cursors: offered))
        let wanted: [CursorMode] = showsCursor ? [.metadata, .embedded] : [.hidden, .metadata]
        let mode = wanted.first { offered & $0.flag != 0 }
        #expect(simulation.options["cursor_mode"] == mode.map { .uint32($0.flag) })
        simulation.finishRequest()
        simulation.finishRequest(0, Self.streams())
        simulation.answer(.descriptor(Self.remote))
        guard case .opened(let stream, _) = simulation.events.last else { throw Failure.portalLost }
        #expect(stream.cursorMode == mode ?? .hidden)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt32>)
    func `a portal is told only what its version knows`(version: UInt32) {
        var simulation = Simulation(restoreToken: "old")
        var properties: [String: BusValue] = ["version": .uint32(version), "AvailableSourceTypes": .uint32(1)]
        if version >= 2 { properties["AvailableCursorModes"] = .uint32(7) }
        bring(&simulation, to: .selecting, .properties(properties))
        let options = simulation.options
        #expect(options["cursor_mode"] == (version >= 2 ? .uint32(4) : nil))
        #expect(options["persist_mode"] == (version >= 4 ? .uint32(2) : nil))
        #expect(options["restore_token"] == (version >= 4 ? .string("old") : nil))
        simulation.finishRequest()
        simulation.finishRequest(0, Self.streams())
        // A token that was not shown is not used up.
        #expect(simulation.events == (version >= 4 ? [.restoreToken(nil)] : []))
    }

    // MARK: Restore tokens

    @Test(arguments: [nil, "old"], [nil, "", "new"] as [String?])
    func `the token that comes back replaces the old one, and an old one is used up`(old: String?, new: String?) {
        var simulation = simulation(at: .started, restoreToken: old)
        var results = Self.streams()
        results["restore_token"] = new.map { .string($0) }
        simulation.respond(0, results)
        let kept = new == "" ? nil : new
        #expect(simulation.events == (kept != nil || old != nil ? [.restoreToken(kept)] : []))
        #expect(simulation.calls.last == "OpenPipeWireRemote")
    }

    /// What a portal may do with a token that it does not take.
    private enum TokenFault: CaseIterable {
        case refusesSelection
        case closesBeforeAnswer
        case closesAfterAnswer
        case interruptsSelection
        case refusesStart
        case interruptsStart

        var stage: Stage {
            switch self {
            case .refusesSelection, .closesBeforeAnswer: .selecting
            case .closesAfterAnswer, .interruptsSelection: .selected
            case .refusesStart: .starting
            case .interruptsStart: .started
            }
        }

        func happen(in simulation: inout Simulation, session: String) {
            switch self {
            case .refusesSelection, .refusesStart: simulation.answer(refusal("portal.Error.InvalidArgument"))
            case .closesBeforeAnswer, .closesAfterAnswer: simulation.handle(.sessionClosed(path: session))
            case .interruptsSelection, .interruptsStart: simulation.respond(2)
            }
        }
    }

    @Test(arguments: TokenFault.allCases)
    private func `a token that is not taken is dropped, and the person is asked in a new session, once`(
        fault: TokenFault
    ) {
        var simulation = simulation(at: fault.stage, restoreToken: "old")
        let (number, options) = (simulation.number, simulation.options)
        fault.happen(in: &simulation, session: Self.session)
        #expect(simulation.events == [.restoreToken(nil)])
        #expect(simulation.calls.last == "CreateSession")
        #expect(simulation.options["session_handle_token"] != options["session_handle_token"])
        // The answers of what was given up come late.
        simulation.handle(.answered(number: number, Self.refusal("DBus.Error.Failed")))
        simulation.handle(.sessionClosed(path: Self.session))
        let other = Self.session + "2"
        simulation.finishRequest(0, ["session_handle": .string(other)])
        #expect(simulation.calls.last == "SelectSources")
        #expect(simulation.options["restore_token"] == nil && simulation.options["persist_mode"] == .uint32(2))
        if fault.stage >= .starting { simulation.finishRequest() }
        if fault.stage == .selected || fault.stage == .started {
            simulation.answer(.objectPath(simulation.requestPath))
        }
        fault.happen(in: &simulation, session: other)
        #expect(simulation.events.count == 2 && simulation.failure != nil, "without a token it fails for good")
    }

    @Test(arguments: [(Stage.selected, UInt32(1)), (.started, 1)])
    private func `a person's no is no reason to drop a token`(stage: Stage, code: UInt32) {
        var simulation = simulation(at: stage, restoreToken: "old")
        simulation.respond(code)
        #expect(simulation.events == [.ended(.declined)])
    }

    // MARK: Failures, at every step

    @Test(arguments: [Stage.created, .selected, .started])
    private func `the person's no, and an end for another reason, are told apart`(stage: Stage) {
        let step: ScreenCastSession.Step =
            stage == .created ? .createSession : stage == .selected ? .selectSources : .start
        for (code, failure) in [(1, .declined), (2, .interrupted(step)), (77, .interrupted(step))]
            as [(UInt32, Failure)]
        {
            var simulation = simulation(at: stage)
            simulation.respond(code)
            #expect(simulation.events == [.ended(failure)])
            #expect(simulation.machine.isOver)
            #expect(simulation.sent.map(\.path) == (stage.hasSession ? [Self.session] : []))
        }
    }

    @Test(arguments: Stage.allCases)
    private func `an error of the portal ends the cast at any step, and its session`(stage: Stage) {
        let step: ScreenCastSession.Step
        switch stage {
        case .readingProperties: step = .readProperties
        case .findingPortal: step = .findPortal
        case .creating: step = .createSession
        case .selecting: step = .selectSources
        case .starting: step = .start
        case .openingRemote: step = .openRemote
        case .connecting, .created, .selected, .started, .open: return
        }
        let isFirst = stage == .readingProperties
        let errors: [(BusConnection.Answer, Failure)] = [
            (
                Self.refusal("DBus.Error.AccessDenied"),
                .refused(step, name: "org.freedesktop.DBus.Error.AccessDenied", message: "a reason")
            ),
            (Self.refusal("DBus.Error.NoReply"), .portalLost),
            (Self.refusal("DBus.Error.ServiceUnknown"), isFirst ? .noPortal : .portalLost),
            (
                Self.refusal("DBus.Error.InvalidArgs"),
                isFirst
                    ? .noPortal
                    : .refused(step, name: "org.freedesktop.DBus.Error.InvalidArgs", message: "a reason")
            ),
            (.failure(.closed), .busLost),
            (.failure(.malformed), .malformed(step, "its values are nested too deeply")),
        ]
        for (answer, failure) in errors {
            var simulation = simulation(at: stage)
            simulation.answer(answer)
            #expect(simulation.events == [.ended(failure)])
            let isThere = failure != .portalLost && failure != .busLost
            #expect(simulation.sent.map(\.path) == (stage.hasSession && isThere ? [Self.session] : []))
            #expect(simulation.machine.isOver)
        }
    }

    @Test(arguments: Stage.allCases)
    private func `the end of the bus and of the portal is told once, at any step, and nothing is sent any more`(
        stage: Stage
    ) {
        for (input, failure) in [(.busLost, .busLost), (.portalLost, .portalLost)] as [(Machine.Input, Failure)] {
            var simulation = simulation(at: stage)
            let count = simulation.events.count
            for _ in 0..<2 { simulation.handle(input) }
            #expect(simulation.events.count == count + 1)
            #expect(simulation.failure == (stage == .connecting && failure == .busLost ? .noBus : failure))
            #expect(simulation.sent == [] && simulation.machine.isOver)
        }
    }

    @Test(arguments: Stage.allCases)
    private func `a session that the portal closes is told at any step, and another's is not`(stage: Stage) {
        var simulation = simulation(at: stage)
        let count = simulation.events.count
        simulation.handle(.sessionClosed(path: Self.session + "other"))
        #expect(simulation.events.count == count)
        simulation.handle(.sessionClosed(path: Self.session))
        #expect(simulation.failure == (stage.hasSession ? .closed : nil))
        #expect(simulation.sent == [])
    }

    @Test(arguments: Stage.allCases)
    private func `whoever cancels hears nothing any more, and the portal's dialog and session are closed`(stage: Stage)
    {
        var simulation = simulation(at: stage)
        let (count, number, path) = (simulation.events.count, simulation.number, simulation.requestPath)
        simulation.handle(.cancel)
        #expect(simulation.machine.isOver)
        let closed = (stage.isRequest ? [path] : []) + (stage.hasSession ? [Self.session] : [])
        #expect(simulation.sent.map(\.path) == closed)
        #expect(simulation.sent.allSatisfy { $0.member == "Close" && $0.destination == Self.owner })
        // What comes late.
        simulation.handle(.answered(number: number, .success([.objectPath(path)])))
        simulation.handle(.responded(path: path, [.uint32(0), .properties(Self.streams())]))
        simulation.handle(.sessionClosed(path: Self.session))
        simulation.handle(.portalLost)
        simulation.handle(.busLost)
        simulation.handle(.cancel)
        #expect(simulation.events.count == count && simulation.sent.count == closed.count)
    }
}
