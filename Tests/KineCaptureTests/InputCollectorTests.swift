// What a take has of a person's input: in its picture, in its time, and nothing else.
import CoreTesting
import KineInput
import KineMedia
import Testing

@testable import KineCapture

@Suite final class InputCollectorTests {
    private static let size = PixelSize(width: 200, height: 100)
    private var collector = InputCollector()
    /// The instants that are recorded, in order.
    private var recorded: [Range<Int64>] = []
    private var geometry = PictureGeometry(source: size)

    private func receive(_ actions: [InputAction], at now: Int64) -> [InputAction] {
        collector.receive(actions.map { InputEvent($0, at: now) }, geometry, at: now, time: time)
        return collector.take().map(\.action)
    }

    private func time(at instant: Int64) -> MediaTime? {
        var before: Int64 = 0
        for part in recorded {
            if part.contains(instant) { return MediaTime(nanoseconds: before + instant - part.lowerBound) }
            before += Int64(part.count)
        }
        return nil
    }

    private func point(_ x: Int, _ y: Int) -> PixelPoint { PixelPoint(x: x, y: y) }

    @Test func `before the first frame and in a pause nothing is noted, and afterwards what holds is noted anew`() {
        let image = PointerImage(size: PixelSize(width: 1, height: 1), hotspot: point(0, 0), pixels: [0xffff_ffff])
        #expect(receive([.image(image), .pointer(point(3, 4)), .pressed(.left)], at: 5).isEmpty)
        recorded = [10..<40, 60..<1000]
        #expect(!receive([], at: 20).contains(.pointer(point(3, 4))))
        #expect(receive([.image(image), .pointer(point(3, 4))], at: 21) == [.image(image), .pointer(point(3, 4))])
        #expect(receive([.pressed(.left)], at: 30) == [.pressed(.left)])
        #expect(receive([.pointer(point(9, 9)), .released(.left), .typed], at: 50).isEmpty)
        // What was done in the pause, just before it and after it is read late.
        let late = [45, 55, 65].map { InputEvent(.typed, at: $0) } + [InputEvent(.pressed(.right), at: 35)]
        collector.receive(late, geometry, at: 70, time: time)
        let again = collector.take()
        #expect(again.filter { $0.action == .typed } == [TimedInput(.typed, at: MediaTime(nanoseconds: 35))])
        #expect(again.contains(TimedInput(.pressed(.right), at: MediaTime(nanoseconds: 25))))
        #expect(again.contains { $0.action == .released(.left) } && again.contains { $0.action == .pointer(nil) })
        #expect(!again.contains { $0.action == .pointer(point(9, 9)) }, "that was in the pause")
        #expect(receive([.pointer(point(9, 9))], at: 80) == [.pointer(point(9, 9))])
        #expect(receive([], at: 81).isEmpty)
    }

    @Test func `what was done under a cover is not noted, also if it is read later`() {
        recorded = [0..<1000]
        _ = receive([], at: 1)
        collector.close()
        let after = receive([.pointer(point(5, 5)), .pressed(.left), .typed], at: 10)
        #expect(!after.contains(.pressed(.left)) && !after.contains(.typed) && !after.contains(.pointer(point(5, 5))))
        #expect(receive([.pressed(.left)], at: 11) == [.pressed(.left)])
    }

    @Test func `places are the picture's, and what it does not show has none`() {
        geometry = PictureGeometry(
            source: Self.size, orientation: .up, crop: .part(PixelRect(x: 100, y: 0, width: 100, height: 100)),
            size: PixelSize(width: 300, height: 200))
        recorded = [0..<1000]
        _ = receive([], at: 1)
        // The part is scaled to 200 by 200, between borders of 50.
        #expect(receive([.pointer(point(150, 20))], at: 2).last == .pointer(point(151, 41)))
        #expect(receive([.pointer(point(20, 20))], at: 3) == [.pointer(nil)])
        #expect(
            receive([.focused(PixelRect(x: 90, y: 10, width: 60, height: 50))], at: 4)
                == [.focused(geometry.map(PixelRect(x: 90, y: 10, width: 60, height: 50)))])
        #expect(receive([.focused(PixelRect(x: 0, y: 0, width: 50, height: 50))], at: 5) == [.focused(nil)])
        let changed = receive([.pointer(point(199, 99)), .pressed(.right), .pointer(nil)], at: 6)
        #expect(changed == [.pointer(point(249, 199)), .pressed(.right), .pointer(nil)])
    }

    @Test func `a turned source's places are turned with it`() {
        geometry = PictureGeometry(source: Self.size, orientation: .right)
        #expect(geometry.size == PixelSize(width: 100, height: 200))
        for (x, y) in [(0, 0), (199, 0), (0, 99), (57, 31)] {
            let pixel = geometry.map(PixelRect(x: x, y: y, width: 1, height: 1))
            #expect(geometry.map(point(x, y)) == point(pixel.x, pixel.y))
        }
    }

    @Test func `changes are noted while the source is shown`() {
        recorded = [0..<1000]
        var changed = DamageRegion(size: Self.size)
        changed.insert(PixelRect(x: 0, y: 0, width: 16, height: 16))
        collector.noteChange(changed, at: .zero)
        #expect(collector.take().isEmpty)
        _ = receive([], at: 1)
        collector.noteChange(changed, at: .milliseconds(2))
        #expect(
            collector.take() == [
                TimedInput(.changed([PixelRect(x: 0, y: 0, width: 16, height: 16)]), at: .milliseconds(2))
            ])
        collector.close()
        collector.noteChange(changed, at: .milliseconds(3))
        #expect(collector.take().isEmpty)
        // The first frame of after has what changed meanwhile.
        _ = receive([], at: 4)
        collector.noteChange(changed, at: .milliseconds(4))
        #expect(collector.take().isEmpty)
        collector.noteChange(changed, at: .milliseconds(5))
        #expect(collector.take().count == 1)
        collector.close()
        _ = receive([], at: 6)
        collector.passFrame()
        collector.noteChange(changed, at: .milliseconds(7))
        #expect(collector.take().count == 1)
    }
}
