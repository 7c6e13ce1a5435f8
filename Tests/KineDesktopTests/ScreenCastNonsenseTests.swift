// Whoever has the portal's name on the bus can send anything: what cannot be understood ends the exchange with an error.
import KineText
import Testing

@testable import KineDesktop

extension ScreenCastStateMachineTests {
    private static let nonsense: [[BusValue]] = [
        [], [.uint32(0)], [.string("")], [.objectPath("/a"), .objectPath("/b")], [.properties([:])],
        [.variant(.objectPath("/a"))], [.array(of: "o", [])], [.descriptor(remote), .descriptor(remote)],
        [.string(String(repeating: "a", count: 1 << 20))], [.uint32(0), .properties([:]), .byte(0)],
        [.int32(0), .properties([:])], [.uint32(0), .array(of: "{ss}", [])],
    ]

    @Test(arguments: Stage.allCases)
    func `a call or a request that is answered with nonsense is a malformed answer, at any step`(stage: Stage) {
        guard stage != .connecting, stage != .open else { return }
        let isRequested = [Stage.created, .selected, .started].contains(stage)
        for values in Self.nonsense {
            var simulation = simulation(at: stage)
            if isRequested {
                simulation.handle(.responded(path: simulation.requestPath, values))
            } else {
                simulation.answer(.success(values))
            }
            guard case .malformed? = simulation.failure else {
                Issue.record("\(stage) with \(values.map(\.type)): \(simulation.events)")
                continue
            }
            #expect(simulation.sent.map(\.path) == (stage.hasSession ? [Self.session] : []))
        }
    }

    @Test(
        arguments: [
            nil, .uint32(1), .string(""), .string("no path"), .string("/"), .string("//"), .string("/a/"),
            .string("/ä"),
            .string("/" + String(repeating: "a", count: 2000)), .variant(.string("/a")),
        ] as [BusValue?])
    func `a session without a path is a malformed answer`(handle: BusValue?) {
        var simulation = simulation(at: .created)
        simulation.respond(0, handle.map { ["session_handle": $0] } ?? [:])
        guard case .malformed(.createSession, _)? = simulation.failure else {
            Issue.record("\(simulation.events)")
            return
        }
    }

    /// The results of `Start` that are none.
    private static let badResults: [[String: BusValue]] = [
        [:], ["streams": .uint32(1)], ["streams": .array(of: "(ua{sv})", [])],
        ["streams": .array(of: "u", [.uint32(1)])], ["streams": .array(of: "(ia{sv})", [.structure([.int32(1)])])],
        streams(node: 0), streams(node: .max), streams(["position": .uint32(1)]),
        streams(["position": .structure([.int32(1)])]), streams(["size": .structure([.uint32(1), .uint32(1)])]),
        streams(["size": .structure([.int32(1), .int32(1), .int32(1)])]), streams(["source_type": .string("1")]),
        streams(["pipewire-serial": .uint32(1)]),
        streams().merging(["restore_token": .uint32(1)]) { $1 },
        streams().merging(["restore_token": .string(String(repeating: "a", count: 1 << 20))]) { $1 },
    ]

    @Test(arguments: badResults.indices)
    func `streams that are none are a malformed answer, and the session is closed`(index: Int) {
        var simulation = simulation(at: .started)
        simulation.respond(0, Self.badResults[index])
        guard case .malformed(.start, _)? = simulation.failure else {
            Issue.record("\(simulation.events)")
            return
        }
        #expect(simulation.sent.map(\.path) == [Self.session])
    }

    @Test func `a size that is none and a type that was not asked for are left out, and the first stream counts`()
        throws
    {
        var simulation = simulation(at: .started)
        let first = BusValue.structure([
            .uint32(1), .properties(["size": .structure([.int32(0), .int32(0)]), "source_type": .uint32(2)]),
        ])
        let second = BusValue.structure([.uint32(2), .properties([:])])
        simulation.respond(0, ["streams": .array(of: "(ua{sv})", [first, second])])
        simulation.answer(.descriptor(Self.remote))
        #expect(simulation.events == [.opened(ScreenCastStream(node: 1, cursorMode: .metadata), remote: Self.remote)])
    }

    @Test(
        arguments: [
            [:], ["version": .uint32(5)], ["version": .string("5"), "AvailableSourceTypes": .uint32(1)],
            ["version": .uint32(5), "AvailableSourceTypes": .int32(1), "AvailableCursorModes": .uint32(1)],
            ["version": .uint32(5), "AvailableSourceTypes": .uint32(1)],
            ["version": .uint32(2), "AvailableSourceTypes": .uint32(1), "AvailableCursorModes": .boolean(true)],
        ] as [[String: BusValue]])
    func `a portal whose properties are missing or of another type is a malformed answer`(
        properties: [String: BusValue]
    ) {
        var simulation = simulation(at: .readingProperties)
        simulation.answer(.properties(properties))
        guard case .malformed(.readProperties, _)? = simulation.failure else {
            Issue.record("\(simulation.events)")
            return
        }
    }

    @Test func `a portal's words are fit to be shown, and short`() {
        var simulation = simulation(at: .starting)
        let words = "\u{1b}[31m" + String(repeating: "a\n", count: 1 << 20)
        simulation.answer(.failure(.refused(name: words, message: words)))
        guard case .refused(.start, let name, let message)? = simulation.failure else {
            Issue.record("\(simulation.events)")
            return
        }
        #expect(name.isPrintable && message.isPrintable && name.count < 200 && message.count < 400)
    }
}
