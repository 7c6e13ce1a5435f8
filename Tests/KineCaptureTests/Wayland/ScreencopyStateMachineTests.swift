// The copies of an output, event by event.
import KineMedia
import Testing

@testable import KineWayland

@Suite struct ScreencopyStateMachineTests {
    private typealias Machine = ScreencopyStateMachine
    private static let layout = Machine.Layout(format: 1, size: PixelSize(width: 64, height: 48), stride: 256)
    private static let larger = Machine.Layout(format: 1, size: PixelSize(width: 128, height: 96), stride: 512)

    /// It has asked for its first frame.
    private func machine(hasDamage: Bool = true) -> ScreencopyStateMachine {
        var machine = Machine(hasDamage: hasDamage)
        #expect(machine.advance(to: 0) == .capture)
        return machine
    }

    /// Brings a machine that has asked for a frame to it.
    private func copy(
        _ machine: inout ScreencopyStateMachine, at now: Int64, _ layout: ScreencopyStateMachine.Layout = layout,
        waits: Bool, damage: [PixelRect] = []
    ) {
        machine.note(layout: layout)
        #expect(machine.descriptionEnded(at: now) == .copy(layout, waitsForDamage: waits))
        for rect in damage { machine.note(damage: rect) }
        #expect(machine.ready() == .release)
        #expect(machine.hasFrame)
    }

    @Test func `the first frame is copied as it is, the next ones wait for damage and tell it`() {
        var machine = machine()
        copy(&machine, at: 0, waits: false, damage: [PixelRect(x: 1, y: 2, width: 3, height: 4)])
        #expect(machine.frame == Machine.Frame(layout: Self.layout, damage: nil))
        #expect(machine.taken() == .capture)
        #expect(machine.deadline == nil && !machine.hasFrame && machine.taken() == nil)
        let rect = PixelRect(x: 8, y: 8, width: 8, height: 8)
        copy(&machine, at: 15, waits: true, damage: [rect])
        #expect(machine.frame == Machine.Frame(layout: Self.layout, damage: [rect]))
    }

    @Test func `a frame of another layout is whole, and the one after it waits again`() {
        var machine = machine()
        copy(&machine, at: 0, waits: false)
        #expect(machine.taken() == .capture)
        copy(&machine, at: 10, Self.larger, waits: false)
        #expect(machine.frame?.damage == nil)
        #expect(machine.taken() == .capture)
        copy(&machine, at: 20, Self.larger, waits: true)
    }

    @Test func `a compositor that offers no shared memory is asked again later`() {
        var machine = machine()
        #expect(machine.descriptionEnded(at: 7) == .release)
        #expect(machine.deadline == 7 + Machine.retryInterval)
    }

    @Test func `after a failure all of the next frame is copied, whatever failed`() {
        var machine = machine()
        copy(&machine, at: 0, waits: false)
        #expect(machine.taken() == .capture)
        #expect(machine.failed(at: 11) == .release)
        #expect(machine.failed(at: 11) == nil)
        let retry = 11 + Machine.retryInterval
        #expect(machine.advance(to: retry - 1) == nil && machine.advance(to: retry) == .capture)
        copy(&machine, at: retry, waits: false)
        #expect(machine.frame?.damage == nil)
    }

    @Test func `too many rectangles mean all of it`() {
        var machine = machine()
        copy(&machine, at: 0, waits: false)
        #expect(machine.taken() == .capture)
        let rects = (0..<65).map { PixelRect(x: $0, y: 0, width: 1, height: 1) }
        copy(&machine, at: 10, waits: true, damage: rects)
        #expect(machine.frame?.damage == nil)
    }

    @Test func `of a part, no damage is relied upon`() {
        var machine = machine(hasDamage: false)
        copy(&machine, at: 0, waits: false)
        #expect(machine.taken() == .capture)
        copy(&machine, at: 10, waits: true, damage: [PixelRect(x: 0, y: 0, width: 1, height: 1)])
        #expect(machine.frame?.damage == nil)
    }

    @Test func `an output that goes and comes back is asked for all of it at once`() {
        var machine = machine()
        copy(&machine, at: 0, waits: false)
        #expect(machine.taken() == .capture)
        #expect(machine.outputChanged(isThere: false) == .release)
        #expect(machine.deadline == nil && machine.advance(to: .max) == nil)
        // What was on its way is no longer of interest.
        machine.note(layout: Self.layout)
        #expect(machine.ready() == nil && machine.failed(at: 12) == nil && machine.descriptionEnded(at: 12) == nil)
        #expect(machine.outputChanged(isThere: true) == nil && machine.advance(to: 20) == .capture)
        copy(&machine, at: 20, waits: false)
    }

    /// All sequences of seven events: there is at most one frame's object, and only that is copied and released.
    @Test func `whatever comes in whatever order, each object is made, copied once at most, and released once`() {
        enum Event: CaseIterable { case time, layout, other, done, damage, ready, failed, take, gone, back }
        func check(_ machine: ScreencopyStateMachine, isOpen: Bool, isCopied: Bool, now: Int64, depth: Int) {
            guard depth > 0 else { return }
            for event in Event.allCases {
                var (machine, isOpen, isCopied) = (machine, isOpen, isCopied)
                let now = now + Machine.retryInterval
                let request: Machine.Request?
                switch event {
                case .time: request = machine.advance(to: now)
                case .layout: (request, _) = (nil, machine.note(layout: Self.layout))
                case .other: (request, _) = (nil, machine.note(layout: Self.larger))
                case .done: request = machine.descriptionEnded(at: now)
                case .damage: (request, _) = (nil, machine.note(damage: PixelRect(x: 0, y: 0, width: 1, height: 1)))
                case .ready: request = machine.ready()
                case .failed: request = machine.failed(at: now)
                case .take: request = machine.taken()
                case .gone: request = machine.outputChanged(isThere: false)
                case .back: request = machine.outputChanged(isThere: true)
                }
                switch request {
                case .capture:
                    if isOpen { Issue.record("a second object, after \(event)") }
                    (isOpen, isCopied) = (true, false)
                case .copy:
                    if !isOpen || isCopied { Issue.record("a copy of nothing, or a second one, after \(event)") }
                    isCopied = true
                case .release:
                    if !isOpen { Issue.record("a release of nothing, after \(event)") }
                    isOpen = false
                case nil: break
                }
                if machine.hasFrame, isOpen { Issue.record("a frame that is not over, after \(event)") }
                check(machine, isOpen: isOpen, isCopied: isCopied, now: now, depth: depth - 1)
            }
        }
        check(Machine(hasDamage: true), isOpen: false, isCopied: false, now: 0, depth: 6)
    }
}
