// What a person does, as the samples of a track say it.
import CoreTesting
import KineMedia
import Testing

@testable import KineInput

@Suite final class InputRecorderTests {
    private static let size = PixelSize(width: 640, height: 360)
    private var recorder = InputRecorder(size: size)

    private func note(_ action: InputAction, _ milliseconds: Int64) {
        recorder.note(TimedInput(action, at: .milliseconds(milliseconds)))
    }

    private func lines(through milliseconds: Int64) throws -> [InputLine]? {
        guard let sample = recorder.sample(through: .milliseconds(milliseconds)) else { return nil }
        let lines: [InputLine] = try #require(InputLine.lines(of: sample.text))
        return lines
    }

    private func state(_ change: (inout InputState) -> Void = { _ in }) -> InputLine {
        var state = InputState(size: Self.size)
        change(&state)
        return .state(state)
    }

    private func point(_ x: Int, _ y: Int) -> PixelPoint { PixelPoint(x: x, y: y) }

    @Test func `the first sample of a file is there although nothing happened, and no other`() throws {
        #expect(try lines(through: 500) == [state()])
        #expect(try lines(through: 1000) == nil)
        recorder.beginFile()
        let found = recorder.sample(through: .milliseconds(1500))
        let sample = try #require(found)
        #expect(sample.start == .seconds(1) && InputLine.lines(of: sample.text) == [state()])
    }

    @Test func `a sample is written after twelve hours in which nothing happened`() throws {
        #expect(try lines(through: 500) == [state()])
        #expect(try lines(through: 12 * 3_600_000) == nil)
        #expect(try lines(through: 12 * 3_600_000 + 500) == [state()])
        #expect(try lines(through: 13 * 3_600_000) == nil)
    }

    @Test func `a way is steps, at most sixty a second, and ends where the pointer is`() throws {
        note(.pointer(point(10, 20)), 100)
        for step in 1...1000 { note(.pointer(point(10 + step, 20)), 100 + Int64(step)) }
        let found = try #require(try lines(through: 2000))
        guard found.count == 2, case .way(100, let from, let steps) = found[1] else {
            Issue.record("\(found)")
            return
        }
        #expect(steps.count <= 62 && steps.allSatisfy { $0.after >= 16 && $0.y == 0 })
        #expect(from.x + steps.reduce(0) { $0 + $1.x } == 1010)
        #expect(try lines(through: 3000) == nil)
        note(.pointer(nil), 3100)
        #expect(try lines(through: 3500) == [state { $0.pointer = PixelPoint(x: 1010, y: 20) }, .pointerLeft(at: 100)])
    }

    @Test func `a click has its place, and is none outside the picture`() throws {
        note(.pressed(.left), 10)
        note(.pointer(point(5, 6)), 20)
        note(.pressed(.right), 30)
        note(.released(.left), 35)
        note(.scrolled(x: 0, y: -1), 40)
        #expect(
            try lines(through: 500) == [
                state(), .way(at: 20, from: point(5, 6), steps: []), .press(.right, at: 30, point(5, 6)),
                .scroll(x: 0, y: -1, at: 40),
            ])
        note(.released(.right), 600)
        #expect(
            try lines(through: 1000) == [
                state {
                    $0.pointer = PixelPoint(x: 5, y: 6)
                    $0.held = [.right]
                }, .release(.right, at: 100, point(5, 6)),
            ])
    }

    @Test func `what comes after a sample's end is in the next one`() throws {
        note(.focused(PixelRect(x: 1, y: 2, width: 3, height: 4)), 499)
        note(.focused(nil), 500)
        let rect = PixelRect(x: 1, y: 2, width: 3, height: 4)
        #expect(try lines(through: 500) == [state(), .focus(rect, at: 499)])
        #expect(try lines(through: 1000) == [state { $0.focus = rect }, .focus(nil, at: 0)])
    }

    @Test func `changes are joined to eight rectangles at most, ten times a second, in the picture`() throws {
        for index in 0..<20 {
            note(.changed([PixelRect(x: index * 30, y: 0, width: 10, height: 10)]), Int64(index * 10))
        }
        note(.changed([PixelRect(x: 700, y: 0, width: 10, height: 10)]), 190)
        note(.changed([PixelRect(x: 630, y: 350, width: 100, height: 100)]), 400)
        let found = try #require(try lines(through: 500))
        let changes = found.compactMap { line -> [PixelRect]? in
            if case .change(let rects, _) = line { rects } else { nil }
        }
        #expect(changes.count == 3 && changes.allSatisfy { $0.count <= 8 })
        #expect(changes.last == [PixelRect(x: 630, y: 350, width: 10, height: 10)])
        note(.changed((0..<500).map { PixelRect(x: $0, y: $0 % 7, width: 1, height: 1) }), 600)
        #expect(
            try lines(through: 1000)?.last == .change([PixelRect(x: 0, y: 0, width: 500, height: 7)], at: 100))
    }

    @Test func `an image comes in the first sample that needs it, of each file, and once a minute`() throws {
        let shown = PointerImage(size: PixelSize(width: 2, height: 1), hotspot: point(1, 0), pixels: [0xff11_2233, 0])
        let png = try #require(shown.png)
        let image = InputImage(name: "1", hotspot: point(1, 0), bytes: png)
        func named(_ change: (inout InputState) -> Void = { _ in }) -> InputLine {
            state {
                $0.image = "1"
                change(&$0)
            }
        }
        note(.image(shown), 100)
        #expect(try lines(through: 500) == [state(), .image(image), .pointerImage("1", at: 100)])
        note(.scrolled(x: 1, y: 0), 600)
        note(.pointer(point(1, 1)), 700)
        #expect(try lines(through: 1000) == [named(), .way(at: 200, from: point(1, 1), steps: [])])
        recorder.beginFile()
        let held: (inout InputState) -> Void = { $0.pointer = PixelPoint(x: 1, y: 1) }
        #expect(try lines(through: 1500) == [named(held), .image(image)])
        #expect(try lines(through: 61_500) == nil)
        note(.pointer(nil), 61_600)
        #expect(try lines(through: 62_000) == [named(held), .image(image), .pointerLeft(at: 100)])
    }

    @Test func `different images have 64 KiB in a take, and later ones are left out`() throws {
        var random = SeededGenerator(seed: 4)
        let images = (0..<40).map { _ in
            PointerImage(
                size: PixelSize(width: 24, height: 24), hotspot: point(0, 0),
                pixels: (0..<576).map { _ in UInt32.random(in: 0xff00_0000...0xffff_ffff, using: &random) })
        }
        for (number, image) in images.enumerated() { note(.image(image), Int64(number)) }
        note(.image(images[0]), 100)
        let found = try #require(try lines(through: 500))
        let recorded = found.compactMap { if case .image(let image) = $0 { image } else { nil } }
        let bytes = recorded.reduce(0) { $0 + $1.bytes.count }
        #expect(bytes <= 65_536 && bytes > 60_000 && recorded.count < 40)
        #expect(found.contains(.pointerImage(nil, at: recorded.count)))
        #expect(found.last == .pointerImage("1", at: 100), "the earlier ones stay")
    }

    @Test func `a line of another form, or with numbers that no take has, is left out`() {
        let wrong = [
            "", "[]", "{}", #"{"at":-1,"pointer":null}"#, #"{"at":1,"way":[1,2,3]}"#, #"{"at":1,"pointer":[1,2]}"#,
            #"{"at":1,"press":"fourth","place":[1,2]}"#, #"{"typing":[500,500]}"#, #"{"at":1,"scroll":[9e18,1]}"#,
            #"{"at":1,"change":[[1,2,3]]}"#, #"{"at":-9223372036854775808,"focus":null}"#, #"{"at":1,"later":[]}"#,
        ]
        let text = #"{"version":1,"size":[640,360]}"# + "\n" + wrong.joined(separator: "\n") + "\n"
        #expect(InputLine.lines(of: Array(text.utf8)) == [state()])
        #expect(InputLine.lines(of: Array(#"{"version":2,"size":[640,360]}"#.utf8)) == nil)
        #expect(InputLine.lines(of: []) == nil)
    }
}
