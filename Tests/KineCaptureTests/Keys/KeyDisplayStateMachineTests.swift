// The keys that are shown, by the answers about the focus and their instants.
import CoreTesting
import KineMedia
import Testing

@testable import KineCapture
@testable import KineX11

@Suite struct KeyDisplayStateMachineTests {
    private static let settling = KeyDisplayStateMachine.settling
    private static let timeout = KeyDisplayStateMachine.timeout

    /// A machine that trusts the object, at `instant`.
    private func trusting(_ object: String = "field", at instant: Int64 = 0) throws -> KeyDisplayStateMachine {
        var machine = KeyDisplayStateMachine(.all)
        let asked = machine.moveFocus(at: instant - Self.settling)
        let first = try #require(asked)
        machine.answer(first, object, at: instant - Self.settling)
        let second = try #require(machine.advance(to: instant).first)
        machine.answer(second, object, at: instant)
        return machine
    }

    @Test func `shortcuts are shown at once, and the newest replaces the last`() {
        for keys in [TakeConfiguration.ShownKeys.shortcuts, .all] {
            var machine = KeyDisplayStateMachine(keys)
            #expect(machine.press(.shortcut("Ctrl + C"), at: 5) == nil)
            #expect(machine.badge == .init(text: "Ctrl + C", since: 5))
            #expect(machine.press(.shortcut("Ctrl + V"), at: 6) == nil)
            #expect(machine.badge == .init(text: "Ctrl + V", since: 6))
            #expect(machine.deadline == nil)
        }
    }

    @Test func `with shortcuts, nothing is asked and no letter is shown, whatever is answered`() {
        var machine = KeyDisplayStateMachine(.shortcuts)
        #expect(machine.moveFocus(at: 0) == nil)
        #expect(machine.press(.typed("a"), at: 1) == nil)
        machine.answer(1, "field", at: 2)
        #expect(machine.advance(to: 10 * Self.settling).isEmpty && machine.badge == nil)
    }

    @Test func `a letter is shown after two answers that name the object which was trusted before`() throws {
        var machine = try trusting()
        let asked = machine.press(.typed("a"), at: 10)
        let first = try #require(asked)
        #expect(machine.badge == nil)
        machine.answer(first, "field", at: 20)
        #expect(machine.badge == nil && machine.deadline == 20 + Self.settling)
        #expect(machine.advance(to: 19 + Self.settling).isEmpty)
        let second = try #require(machine.advance(to: 20 + Self.settling).first)
        #expect(machine.badge == nil)
        machine.answer(second, "field", at: 30 + Self.settling)
        #expect(machine.badge == .init(text: "a", since: 30 + Self.settling))
        #expect(machine.deadline == nil)
    }

    @Test func `letters that follow each other are shown one after the other`() throws {
        var machine = try trusting()
        let questions = ["a", "b"].enumerated().compactMap { index, text in
            machine.press(.typed(text), at: Int64(index) * 1000)
        }
        try #require(questions.count == 2)
        for (index, question) in questions.enumerated() { machine.answer(question, "field", at: Int64(index) * 1000) }
        for (index, text) in ["a", "b"].enumerated() {
            let now = Int64(index) * 1000 + Self.settling
            let question = try #require(machine.advance(to: now).first)
            machine.answer(question, "field", at: now)
            #expect(machine.badge?.text == text)
        }
    }

    @Test func `a letter is never shown where the focus was not known before it`() throws {
        var machine = KeyDisplayStateMachine(.all)
        let asked = machine.press(.typed("p"), at: 0)
        let first = try #require(asked)
        machine.answer(first, "field", at: 1)
        let second = try #require(machine.advance(to: 1 + Self.settling).first)
        machine.answer(second, "field", at: 2 + Self.settling)
        #expect(machine.badge == nil)
        // From then on the object is trusted.
        #expect(machine.press(.typed("q"), at: 3 + Self.settling) != nil)
    }

    /// An event between a letter and its second answer.
    private enum Event: CaseIterable {
        case hidden, other, moved, grabbed, late, silent, shortcut
    }

    @Test(arguments: [false, true])
    func `any doubt hides a letter for good`(isAfterFirstAnswer: Bool) throws {
        for event in Event.allCases {
            var machine = try trusting()
            let asked = machine.press(.typed("p"), at: 0)
            var question = try #require(asked)
            var now: Int64 = 0
            if isAfterFirstAnswer {
                machine.answer(question, "field", at: 0)
                now = Self.settling
                question = try #require(machine.advance(to: now).first)
            }
            switch event {
            case .hidden: machine.answer(question, nil, at: now)
            case .other: machine.answer(question, "other", at: now)
            case .moved: _ = machine.moveFocus(at: now)
            case .grabbed: _ = machine.setGrabbed(true, at: now)
            case .late: machine.answer(question, "field", at: now + Self.timeout + 1)
            case .silent: #expect(machine.advance(to: now + Self.timeout + 1).isEmpty)
            case .shortcut: _ = machine.press(.shortcut("Esc"), at: now)
            }
            // Whatever comes then, also answers that name the first object.
            for step in 0..<20 {
                now += Self.settling / 2
                machine.answer(question, "field", at: now)
                for late in machine.advance(to: now) { machine.answer(late, "field", at: now) }
                _ = step
            }
            #expect(machine.badge?.text != "p", "\(event)")
        }
    }

    @Test func `while a program has the keyboard for itself nothing is trusted, and after that it is asked anew`()
        throws
    {
        var machine = try trusting()
        #expect(machine.setGrabbed(true, at: 0) == nil)
        #expect(machine.press(.typed("p"), at: 1) == nil && machine.moveFocus(at: 2) == nil)
        #expect(machine.badge == nil)
        #expect(machine.setGrabbed(false, at: 3) != nil)
    }

    @Test func `whatever happens, a letter that was typed elsewhere is never shown`() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<2000 {
            var machine = KeyDisplayStateMachine(.all)
            // The focus jumps between a field and a password; its program tells of it at once.
            var isField = Bool.random(using: &generator)
            var now: Int64 = 0
            var open: [Int] = [machine.moveFocus(at: 0)].compactMap(\.self)
            for _ in 0..<60 {
                now += Int64.random(in: 0...Self.settling, using: &generator)
                switch Int.random(in: 0..<8, using: &generator) {
                case 0:
                    isField.toggle()
                    if let question = machine.moveFocus(at: now) { open.append(question) }
                case 1...3:
                    if let question = machine.press(.typed(isField ? "a" : "p"), at: now) { open.append(question) }
                case 4...6 where !open.isEmpty:
                    let question = open.remove(at: .random(in: open.indices, using: &generator))
                    machine.answer(question, isField ? "field" : nil, at: now)
                default: open += machine.advance(to: now)
                }
                #expect(machine.badge?.text != "p")
            }
        }
    }

    @Test func `a badge is whole, then paler step by step, then gone`() {
        let hold: Int64 = 1000
        #expect(BadgeFading(shownSince: 7, hold: hold, at: 7 + hold - 1) == .whole)
        var now = BadgeFading.whole.end(shownSince: 7, hold: hold)
        var opacities: [Double] = []
        while let instant = now {
            let fading = BadgeFading(shownSince: 7, hold: hold, at: instant)
            #expect(BadgeFading(shownSince: 7, hold: hold, at: instant - 1) != fading)
            opacities.append(fading.opacity ?? 0)
            now = fading.end(shownSince: 7, hold: hold)
        }
        #expect(opacities.count == BadgeFading.steps && opacities.last == 0)
        #expect(opacities == opacities.sorted(by: >))
    }
}
