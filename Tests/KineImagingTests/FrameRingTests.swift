// The ring against a model that converts the whole screen every time.
import CoreTesting
import KineMedia
import Testing

@testable import KineImaging

@Suite struct FrameRingTests {
    /// A ring, the screen that is drawn into it, and the damage that is pending.
    private struct Model {
        let ring: FrameRing
        var screen: TestScreen
        /// The changes of the screen that are in no committed frame yet.
        var pending: DamageRegion
        var committed: Planes?
        var lent: [(frame: FrameRing.Frame, contents: Planes)] = []

        init(visible: PixelSize, colour: ColourFormat = .standard, slotCount: Int = 3) {
            ring = FrameRing(size: visible.roundedUpToEven, colour: colour, slotCount: slotCount)
            screen = TestScreen(size: visible)
            pending = .full(size: visible)
        }

        func draw() {
            for rect in pending.rectangles() {
                screen.withPixels(at: rect) { ring.draw(rect, bgra: $0, stride: $1) }
            }
        }

        /// Draws the pending changes and commits; checks the result against the screen.
        mutating func nextFrame(evenIfUnchanged: Bool = false) {
            draw()
            pending.removeAll()
            let now = Planes(converting: screen, to: ring.layout.colour)
            let frame = ring.commit(evenIfUnchanged: evenIfUnchanged)
            let changed = committed.map { now.difference(from: $0) } ?? .full(size: ring.size)
            guard let frame else {
                #expect(changed.isEmpty && !evenIfUnchanged)
                return
            }
            #expect(!changed.isEmpty || evenIfUnchanged)
            #expect(frame.changed == changed)
            #expect(Planes(frame.planes) == now)
            committed = now
            lent.append((frame, now))
        }

        /// Gives one frame back; it must be as it was when it was lent.
        mutating func release(_ index: Int) {
            let (frame, contents) = lent.remove(at: index)
            #expect(Planes(frame.planes) == contents)
            ring.release(frame)
        }
    }

    @Test(
        arguments: [
            PixelSize(width: 16, height: 16), PixelSize(width: 34, height: 18), PixelSize(width: 33, height: 47),
            PixelSize(width: 129, height: 65), PixelSize(width: 160, height: 90),
        ], [2, 3, 5])
    func `every frame is the whole screen, and changed is exactly what differs`(visible: PixelSize, slots: Int) {
        for colour in ColourFormat.allCases { check(visible, colour, slots) }
    }

    private func check(_ visible: PixelSize, _ colour: ColourFormat, _ slots: Int) {
        var generator = SeededGenerator(seed: UInt64(visible.area + slots))
        var model = Model(visible: visible, colour: colour, slotCount: slots)
        for _ in 0..<250 {
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                let rect = model.screen.randomRect(using: &generator)
                if Bool.random(using: &generator) {
                    model.screen.scribble(rect, using: &generator)
                } else {
                    model.screen.fill(rect, UInt32.random(in: 0...3, using: &generator) * 0x40_4040)
                }
                model.pending.insert(rect)
            }
            // X servers often report damage where nothing changed.
            if Int.random(in: 0..<3, using: &generator) == 0 {
                model.pending.insert(model.screen.randomRect(using: &generator))
            }
            guard model.ring.begin() else {
                #expect(!model.ring.hasFreeSlot)
                #expect(!model.lent.isEmpty)
                model.release(Int.random(in: model.lent.indices, using: &generator))
                continue
            }
            if Int.random(in: 0..<6, using: &generator) == 0 {
                model.draw()
                model.ring.abandon()
            } else {
                model.nextFrame(evenIfUnchanged: Int.random(in: 0..<4, using: &generator) == 0)
            }
            if !model.lent.isEmpty, Bool.random(using: &generator) {
                model.release(Int.random(in: model.lent.indices, using: &generator))
            }
        }
    }

    @Test func `an unchanged screen gives no frame, unless a repeat is asked for`() throws {
        var model = Model(visible: PixelSize(width: 64, height: 48))
        #expect(model.ring.begin())
        model.nextFrame()
        model.release(0)
        model.pending.insertAll()
        #expect(model.ring.begin())
        model.draw()
        #expect(model.ring.commit() == nil)
        #expect(model.ring.begin())
        let again = try #require(model.ring.commit(evenIfUnchanged: true))
        #expect(again.changed.isEmpty)
    }

    @Test func `with every slot lent nothing can be drawn until one comes back`() throws {
        let ring = FrameRing(size: PixelSize(width: 32, height: 32))
        var frames: [FrameRing.Frame] = []
        while ring.begin() { frames.append(try #require(ring.commit(evenIfUnchanged: true))) }
        #expect(frames.count == 3)
        #expect(!ring.hasFreeSlot)
        // The next frame is compared with the newest one, so the newest one's slot alone is of no use.
        ring.release(frames[2])
        #expect(!ring.hasFreeSlot)
        ring.release(frames[0])
        #expect(ring.hasFreeSlot)
        #expect(ring.begin())
    }

    @Test func `a tile drawn twice for one frame has what was drawn last`() throws {
        var model = Model(visible: PixelSize(width: 48, height: 32))
        #expect(model.ring.begin())
        model.nextFrame()
        #expect(model.ring.begin())
        let tile = PixelRect(x: 16, y: 16, width: 16, height: 16)
        for colour: UInt32 in [0xff_ffff, 0x12_3456, 0] {
            model.screen.fill(tile, colour)
            model.pending.insert(tile)
            model.draw()
        }
        let frame = try #require(model.ring.commit(evenIfUnchanged: true))
        #expect(Planes(frame.planes) == Planes(converting: model.screen))
    }

    @Test func `frames given back from another thread are whole until then`() async {
        let (frames, feed) = AsyncStream.makeStream(of: (FrameRing.Frame, Planes).self)
        var model = Model(visible: PixelSize(width: 80, height: 48))
        let references = model.ring.references
        let reader = Task {
            var count = 0
            for await (frame, contents) in frames {
                #expect(Planes(frame.planes) == contents)
                references.release(frame.slot)
                count += 1
            }
            return count
        }
        var generator = SeededGenerator(seed: 99)
        var taken = 0
        while taken < 200 {
            guard model.ring.begin() else {
                await Task.yield()
                continue
            }
            let rect = model.screen.randomRect(using: &generator)
            model.screen.scribble(rect, using: &generator)
            model.pending.insert(rect)
            model.nextFrame()
            for (frame, contents) in model.lent { feed.yield((frame, contents)) }
            taken += model.lent.count
            model.lent = []
        }
        feed.finish()
        #expect(await reader.value == taken)
    }
}
