// The rings of clicks, by the instants of presses and releases.
import KineMedia
import Testing

@testable import KineCapture

@Suite struct ClickStateMachineTests {
    private typealias Place = PixelPoint
    private static let step = ClickStateMachine.stepLength
    private static let here = Place(x: 10, y: 20)
    private static let there = Place(x: 300, y: 200)

    private func ring(_ button: PointerButton, _ place: Place, _ step: Int) -> ClickStateMachine.Ring {
        ClickStateMachine.Ring(button: button, place: place, step: step)
    }

    @Test func `without clicks there is nothing, and nothing to wait for`() {
        var machine = ClickStateMachine()
        machine.move(to: Self.here)
        machine.release(.left, at: 5)
        #expect(machine.rings(at: 9).isEmpty && machine.isEmpty)
        #expect(machine.nextStep(after: 9) == nil)
    }

    @Test func `a held button's ring goes with the pointer and does not change by itself`() {
        var machine = ClickStateMachine()
        machine.press(.left)
        #expect(machine.rings(at: 0).isEmpty, "its place is not known yet")
        machine.move(to: Self.here)
        #expect(machine.rings(at: 0) == [ring(.left, Self.here, 0)])
        machine.move(to: Self.there)
        #expect(machine.rings(at: 100 * Self.step) == [ring(.left, Self.there, 0)])
        #expect(machine.nextStep(after: 0) == nil)
    }

    @Test func `a released ring stays where the pointer was next seen, and fades in twelve steps`() {
        var machine = ClickStateMachine()
        machine.press(.right)
        machine.move(to: Self.here)
        machine.release(.right, at: 1000)
        machine.move(to: Self.there)
        machine.move(to: Self.here)
        for step in 0..<12 {
            let now = 1000 + Int64(step) * Self.step
            #expect(machine.rings(at: now) == [ring(.right, Self.there, step)])
            #expect(machine.rings(at: now + Self.step - 1) == [ring(.right, Self.there, step)])
            #expect(machine.nextStep(after: now) == now + Self.step)
        }
        #expect(machine.rings(at: 1000 + 12 * Self.step).isEmpty)
        machine.expire(at: 1000 + 12 * Self.step)
        #expect(machine.isEmpty && machine.nextStep(after: 1000 + 12 * Self.step) == nil)
    }

    @Test func `a click between two looks is seen, where the pointer is at the second`() {
        var machine = ClickStateMachine()
        machine.press(.middle)
        machine.release(.middle, at: 50)
        machine.move(to: Self.here)
        #expect(machine.rings(at: 50) == [ring(.middle, Self.here, 0)])
    }

    @Test func `a double click has two rings, and each button its own`() {
        var machine = ClickStateMachine()
        for instant: Int64 in [0, 3] {
            machine.press(.left)
            machine.move(to: Self.here)
            machine.release(.left, at: instant * Self.step)
            machine.move(to: Self.here)
        }
        machine.press(.right)
        machine.move(to: Self.there)
        #expect(
            machine.rings(at: 4 * Self.step)
                == [ring(.left, Self.here, 4), ring(.left, Self.here, 1), ring(.right, Self.there, 0)])
        #expect(machine.nextStep(after: 4 * Self.step) == 5 * Self.step)
    }

    @Test func `a second press without a release is the same click`() {
        var machine = ClickStateMachine()
        machine.press(.left)
        machine.press(.left)
        machine.move(to: Self.here)
        #expect(machine.rings(at: 0).count == 1)
        machine.release(.left, at: 0)
        machine.expire(at: 12 * Self.step)
        #expect(machine.isEmpty)
    }

    @Test func `a click on another screen has no ring, and is forgotten in time`() {
        var machine = ClickStateMachine()
        machine.press(.left)
        machine.release(.left, at: 0)
        machine.move(to: nil)
        machine.move(to: Self.here)
        #expect(machine.rings(at: 0).isEmpty)
        machine.expire(at: 12 * Self.step)
        #expect(machine.isEmpty)
    }
}
