// A sample of an input track that begins later, or ends earlier.
import KineMedia
import Testing

@testable import KineInput

@Suite struct InputCutTests {
    private let rect = PixelRect(x: 1, y: 2, width: 3, height: 4)
    private func point(_ x: Int, _ y: Int) -> PixelPoint { PixelPoint(x: x, y: y) }

    private func state(_ change: (inout InputState) -> Void = { _ in }) -> InputLine {
        var state = InputState(size: PixelSize(width: 100, height: 100))
        change(&state)
        return .state(state)
    }

    private var lines: [InputLine] {
        [
            state { $0.focus = rect }, .image(InputImage(name: "1", hotspot: point(0, 0), bytes: [1])),
            .pointerImage("1", at: 10),
            .way(
                at: 20, from: point(5, 5),
                steps: [
                    InputStep(after: 20, x: 1, y: 0), InputStep(after: 20, x: 0, y: 2),
                    InputStep(after: 40, x: 3, y: 3),
                ]),
            .press(.left, at: 100, point(9, 10)), .focus(nil, at: 110), .release(.left, at: 200, point(9, 10)),
            .scroll(x: 0, y: 1, at: 210), .change([rect], at: 220), .pointerLeft(at: 230),
            .pointerImage(nil, at: 240), .typing(-500..<1000),
        ]
    }

    @Test func `nothing is lost of a whole sample but its images`() {
        let whole = InputLine.cut(lines, from: 0, to: .max)
        #expect(
            whole
                == lines.filter { $0.definedImage == nil }.map { line in
                    if case .typing = line { .typing(0..<1000) } else { line }
                })
        #expect(InputLine.cut([], from: 0, to: 1).isEmpty)
    }

    @Test func `a later beginning has the state of that time, and the rest of the way`() {
        #expect(
            InputLine.cut(lines, from: 50, to: 205) == [
                state {
                    $0.focus = rect
                    $0.image = "1"
                    $0.pointer = PixelPoint(x: 6, y: 5)
                },
                .way(at: 10, from: point(6, 7), steps: [InputStep(after: 40, x: 3, y: 3)]),
                .press(.left, at: 50, point(9, 10)), .focus(nil, at: 60), .release(.left, at: 150, point(9, 10)),
                .typing(0..<155),
            ])
        #expect(
            InputLine.cut(lines, from: 150, to: 160) == [
                state {
                    $0.image = "1"
                    $0.pointer = PixelPoint(x: 9, y: 10)
                    $0.held = [.left]
                }, .typing(0..<10),
            ])
        #expect(InputLine.cut(lines, from: 5000, to: 6000) == [state()])
        #expect(InputLine.cut(lines, from: 10, to: 10).count == 1)
    }

    @Test func `numbers of a damaged file end no program`() {
        let steps = [InputStep(after: 1 << 31, x: 1 << 31, y: -(1 << 31)), InputStep(after: -5, x: 1, y: 1)]
        let way = InputLine.way(at: 1 << 31, from: point(1 << 31, 0), steps: steps)
        #expect(InputLine.cut([state(), way], from: 0, to: .max).count == 2)
        #expect(InputLine.cut([state(), way], from: .max, to: .max).count == 1)
        #expect(InputLine.cut([way], from: 0, to: 1).isEmpty)
    }

    @Test func `an image is kept if the part uses it, and milliseconds that are partly outside are not in it`() {
        let text = InputLine.text(of: lines)
        let start = MediaTime.seconds(1)
        func cut(_ first: Int64, _ end: Int64) -> [InputLine] {
            InputLine.cut(
                text, from: start, to: start + MediaTime(nanoseconds: first)..<start + MediaTime(nanoseconds: end))
        }
        #expect(cut(0, 11_000_000).contains { $0.definedImage != nil })
        #expect(!cut(0, 10_900_000).contains { $0.definedImage != nil }, "it is used later")
        #expect(cut(0, 101_000_000).contains(.press(.left, at: 100, point(9, 10))))
        #expect(!cut(0, 100_999_999).contains(.press(.left, at: 100, point(9, 10))))
        #expect(!cut(100_000_001, 900_000_000).contains { if case .press = $0 { true } else { false } })
        #expect(InputLine.cut([1, 2], from: .zero, to: .zero..<start).isEmpty)
    }
}
