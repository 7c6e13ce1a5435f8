// The session in which an output is captured, event by event.
import KineMedia
import Testing

@testable import KineCapture
@testable import KineWayland

@Suite struct ImageCaptureStateMachineTests {
    private typealias Machine = ImageCaptureStateMachine
    private static let size = PixelSize(width: 64, height: 48)
    private static let layout = CopyBuffer.Layout(format: 1, size: size, stride: 256)
    private static let all = PixelRect(size: size)
    private static let dot = PixelRect(x: 8, y: 8, width: 4, height: 4)

    /// It has a session that has told of its buffers, and has asked for its first frame.
    private func machine(part: PixelRect? = nil, now: Int64 = 0) -> Machine {
        var machine = Machine(part: part)
        #expect(machine.deadline == .min && machine.advance(to: now) == .open)
        #expect(machine.deadline == nil)
        #expect(constrain(&machine) == .capture(Self.layout, missing: nil))
        return machine
    }

    private func constrain(_ machine: inout Machine, _ size: PixelSize = size, format: UInt32 = 1) -> Machine.Request? {
        machine.note(format: format)
        machine.note(size: size)
        return machine.constraintsEnded()
    }

    private func ready(_ machine: inout Machine, damage: [PixelRect] = [all]) -> Machine.Request? {
        for rect in damage { machine.note(damage: rect) }
        return machine.ready(desktop: Self.size)
    }

    private func frame(damage: [PixelRect]?) -> Machine.Frame {
        Machine.Frame(layout: Self.layout, part: Self.all, orientation: .up, damage: damage)
    }

    @Test func `the first frame is all new, the next ones tell what is`() {
        var machine = machine()
        #expect(!machine.hasFrame && machine.taken() == nil)
        #expect(ready(&machine) == .release)
        #expect(machine.frame == frame(damage: nil))
        #expect(machine.taken() == .capture(Self.layout, missing: nil), "the second buffer is new")
        #expect(ready(&machine, damage: [Self.dot]) == .release)
        #expect(machine.frame == frame(damage: [Self.dot]))
        #expect(machine.taken() == .capture(Self.layout, missing: [Self.dot]))
        #expect(ready(&machine, damage: []) == .release)
        #expect(machine.frame == frame(damage: nil), "nothing is told")
        #expect(machine.taken() == .capture(Self.layout, missing: nil))
    }

    @Test func `what many rectangles have changed is within one`() {
        var machine = machine()
        _ = ready(&machine)
        _ = machine.taken()
        let rects = (0..<DamageList.limit + 1).map { PixelRect(x: $0 % 60, y: $0 % 40, width: 2, height: 3) }
        #expect(ready(&machine, damage: rects) == .release)
        #expect(machine.frame?.damage == [PixelRect(x: 0, y: 0, width: 61, height: 42)])
    }

    @Test func `other buffers in the middle are asked for at once, and begin anew`() {
        var machine = machine()
        _ = ready(&machine)
        _ = machine.taken()
        #expect(constrain(&machine) == nil, "the same again")
        let larger = CopyBuffer.Layout(format: 1, size: PixelSize(width: 65, height: 48), stride: 260)
        #expect(constrain(&machine, larger.size) == .capture(larger, missing: nil))
        #expect(machine.ready(desktop: larger.size) == .release)
        #expect(machine.frame?.layout == larger && machine.frame?.damage == nil)
        // A frame of the size before can still be taken when the next size is known.
        #expect(constrain(&machine) == nil)
        #expect(machine.taken() == .capture(Self.layout, missing: nil))
        #expect(ready(&machine, damage: [Self.dot]) == .release && machine.frame == frame(damage: nil))
    }

    @Test func `a pixel of three bytes has rows of whole words`() {
        var machine = Machine(part: nil)
        _ = machine.advance(to: 0)
        let layout = CopyBuffer.Layout(format: 0x3432_4752, size: PixelSize(width: 5, height: 2), stride: 16)
        #expect(constrain(&machine, layout.size, format: layout.format) == .capture(layout, missing: nil))
    }

    @Test func `no size, no format, or none that is known`() {
        var machine = Machine(part: nil)
        _ = machine.advance(to: 0)
        #expect(machine.constraintsEnded() == nil, "it tells nothing")
        #expect(constrain(&machine, PixelSize(width: 0, height: 9)) == nil)
        machine.note(format: 1)
        #expect(machine.constraintsEnded() == nil, "what was told before counts no more")
        machine.note(size: Self.size)
        #expect(machine.constraintsEnded() == .fail(.noFramesInMemory))
        #expect(constrain(&machine, format: 0x77) == .fail(.unsupportedPixels(format: 0x77)))
        #expect(constrain(&machine, PixelSize(width: 32769, height: 1)) == .fail(.unsupportedPixels(format: 1)))
        #expect(constrain(&machine) == .capture(Self.layout, missing: nil))
    }

    // MARK: Parts

    @Test func `of a part, what is outside makes no frame and is not lost`() {
        let part = PixelRect(x: 4, y: 4, width: 20, height: 10)
        var machine = machine(part: part)
        #expect(ready(&machine) == .release)
        #expect(machine.frame?.part == part && machine.frame?.damage == nil)
        #expect(machine.taken() == .capture(Self.layout, missing: nil))
        #expect(ready(&machine, damage: [Self.dot]) == .release)
        #expect(machine.frame?.damage == [PixelRect(x: 4, y: 4, width: 4, height: 4)])
        #expect(machine.taken() == .capture(Self.layout, missing: [Self.dot]))
        let outside = PixelRect(x: 40, y: 40, width: 2, height: 2)
        #expect(ready(&machine, damage: [outside]) == .capture(Self.layout, missing: []), "it has seen all of it")
        #expect(!machine.hasFrame)
        #expect(ready(&machine, damage: [outside, Self.dot]) == .release)
        #expect(machine.frame?.damage == [PixelRect(x: 4, y: 4, width: 4, height: 4)])
        #expect(machine.taken() == .capture(Self.layout, missing: [outside, outside, Self.dot]))
    }

    @Test func `a part that the output does not have any more is waited for`() {
        var machine = machine(part: PixelRect(x: 60, y: 0, width: 20, height: 10))
        #expect(ready(&machine) == .release)
        #expect(machine.frame?.part == PixelRect(x: 60, y: 0, width: 4, height: 10), "what there is")
        _ = machine.taken()
        let small = PixelSize(width: 32, height: 48)
        #expect(constrain(&machine, small) != nil)
        let layout = CopyBuffer.Layout(format: 1, size: small, stride: 128)
        #expect(machine.ready(desktop: small) == .capture(layout, missing: []))
        #expect(machine.ready(desktop: PixelSize(width: 0, height: 0)) == .capture(layout, missing: []))
        #expect(!machine.hasFrame)
        #expect(constrain(&machine) == .capture(Self.layout, missing: nil))
        #expect(ready(&machine) == .release && machine.frame?.damage == nil)
    }

    @Test func `another turn is another frame`() {
        var machine = machine()
        _ = ready(&machine)
        _ = machine.taken()
        machine.note(orientation: .right)
        #expect(ready(&machine, damage: [Self.dot]) == .release)
        #expect(machine.frame?.orientation == .right && machine.frame?.damage == nil)
        _ = machine.taken()
        machine.note(orientation: .right)
        #expect(ready(&machine, damage: [Self.dot]) == .release && machine.frame?.damage == [Self.dot])
    }

    // MARK: Faults

    @Test func `an unknown failure takes another session, a refused buffer what the compositor says, or one later`() {
        var machine = machine()
        _ = ready(&machine)
        _ = machine.taken()
        #expect(machine.failed(.unknown, at: 7) == .close)
        #expect(machine.failed(.unknown, at: 7) == nil && machine.stopped(at: 7) == nil)
        #expect(machine.deadline == 7 + Machine.retryInterval && machine.advance(to: 8) == nil)
        #expect(machine.advance(to: 7 + Machine.retryInterval) == .open)
        #expect(constrain(&machine) == .capture(Self.layout, missing: nil))
        #expect(ready(&machine, damage: [Self.dot]) == .release && machine.frame == frame(damage: nil))
        _ = machine.taken()
        #expect(machine.failed(.constraints, at: 20) == .release)
        #expect(machine.deadline == 20 + Machine.constraintTimeout)
        #expect(constrain(&machine) == .capture(Self.layout, missing: nil))
        #expect(machine.failed(.constraints, at: 30) == .release)
        #expect(machine.advance(to: 30 + Machine.constraintTimeout) == .open)
    }

    @Test func `a session that has stopped is followed by another one, and an output that has gone by none`() {
        for isCaptured in [false, true] {
            var machine = machine()
            if isCaptured { _ = ready(&machine) }
            #expect(machine.stopped(at: 5) == .close && !machine.hasFrame)
            #expect(machine.deadline == 5 + Machine.stopInterval)
            #expect(machine.startAgain(isThere: false) == nil)
            #expect(machine.deadline == nil && machine.advance(to: .max) == nil && machine.stopped(at: 6) == nil)
            #expect(constrain(&machine) == nil && machine.ready(desktop: Self.size) == nil)
            #expect(machine.startAgain(isThere: true) == nil && machine.advance(to: 6) == .open)
        }
        var failed = machine()
        #expect(failed.failed(.stopped, at: 9) == .close && failed.deadline == 9 + Machine.stopInterval)
    }

    /// All sequences of five events, at first and later: there is at most one session and one frame's object, and a frame is within its buffer.
    @Test func `whatever comes in whatever order, each object is made and given up once`() {
        enum Event: CaseIterable {
            case time, later, constraints, other, none, damage, turn, ready, unknown, refused, stopped, take, gone, back
        }
        func check(_ machine: Machine, hasSession: Bool, hasFrame: Bool, now: Int64, depth: Int) {
            guard depth > 0 else { return }
            for event in Event.allCases {
                var (machine, hasSession, hasFrame, now) = (machine, hasSession, hasFrame, now)
                let request: Machine.Request?
                switch event {
                case .time: request = machine.advance(to: now)
                case .later:
                    now += Machine.constraintTimeout
                    request = machine.advance(to: now)
                case .constraints: request = constrain(&machine)
                case .other: request = constrain(&machine, PixelSize(width: 30, height: 70))
                case .none: request = machine.constraintsEnded()
                case .damage: (request, _) = (nil, machine.note(damage: PixelRect(x: -9, y: 9, width: 99, height: 9)))
                case .turn: (request, _) = (nil, machine.note(orientation: .left))
                case .ready: request = machine.ready(desktop: Self.size)
                case .unknown: request = machine.failed(.unknown, at: now)
                case .refused: request = machine.failed(.constraints, at: now)
                case .stopped: request = machine.stopped(at: now)
                case .take: request = machine.taken()
                case .gone: request = machine.startAgain(isThere: false)
                case .back: request = machine.startAgain(isThere: true)
                }
                switch request {
                case .open: (hasSession, hasFrame) = (true, false)
                case .close:
                    if !hasSession { Issue.record("no session to give up, after \(event)") }
                    (hasSession, hasFrame) = (false, false)
                case .capture(let layout, let missing):
                    if !hasSession { Issue.record("a frame without a session, after \(event)") }
                    let buffer = PixelRect(size: layout.size)
                    for rect in missing ?? [] where rect.isEmpty || rect.intersection(buffer) != rect {
                        Issue.record("\(rect) is not of \(layout), after \(event)")
                    }
                    hasFrame = true
                case .release:
                    if !hasFrame { Issue.record("no frame to give up, after \(event)") }
                    hasFrame = false
                case .fail(let error): Issue.record("\(error), after \(event)")
                case nil: break
                }
                if let frame = machine.frame {
                    if hasFrame { Issue.record("a frame that is not over, after \(event)") }
                    let buffer = PixelRect(size: frame.layout.size)
                    if frame.part.isEmpty || frame.part.intersection(buffer) != frame.part {
                        Issue.record("\(frame) is not in its buffer, after \(event)")
                    }
                    for rect in frame.damage ?? [] where rect.intersection(PixelRect(size: frame.part.size)) != rect {
                        Issue.record("damage beside the frame, after \(event)")
                    }
                }
                check(machine, hasSession: hasSession, hasFrame: hasFrame, now: now, depth: depth - 1)
            }
        }
        for part in [nil, PixelRect(x: 20, y: 4, width: 20, height: 60)] {
            check(Machine(part: part), hasSession: false, hasFrame: false, now: 0, depth: 5)
            // From its first frame on.
            var running = machine(part: part)
            _ = ready(&running)
            check(running, hasSession: true, hasFrame: false, now: 0, depth: 5)
        }
    }
}
