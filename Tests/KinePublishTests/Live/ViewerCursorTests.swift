// Which samples a viewer gets, whether fast or slow.
import KineLive
import KineMedia
import NIOCore
import Testing

@testable import KinePublish

@Suite struct ViewerCursorTests {
    private func fill(
        _ history: inout SampleHistory<LiveRecord>, _ numbers: Range<Int>, keys: Set<Int> = [], bytes: Int = 100
    ) {
        for number in numbers { history.append(key: keys.contains(number), bytes: bytes, at: Double(number) / 10) }
    }

    /// The cursor's next records, and how many frames it leaves out.
    private func advance(
        _ cursor: inout ViewerCursor, in history: SampleHistory<LiveRecord>, byteLimit: Int = 64 << 10
    ) -> (buffers: [ByteBuffer], droppedFrames: Int) {
        var buffers: [ByteBuffer] = []
        let droppedFrames = cursor.advance(in: history, state: Samples.state, into: &buffers, byteLimit: byteLimit)
        return (buffers, droppedFrames)
    }

    @Test func `a new viewer begins with the newest keyframe`() {
        var history = SampleHistory<LiveRecord>()
        fill(&history, 0..<25, keys: [0, 20])
        var cursor = ViewerCursor(form: .records, history: history)
        let batch = advance(&cursor, in: history)
        #expect(batch.buffers.count == 5 && batch.droppedFrames == 0)
        #expect(advance(&cursor, in: history).buffers.isEmpty)
    }

    @Test func `a viewer who joins before any keyframe waits for one and requests it`() {
        var history = SampleHistory<LiveRecord>()
        fill(&history, 1..<3)
        history.append(.audioApp, key: true, at: 0.2)
        var cursor = ViewerCursor(form: .records, history: history)
        fill(&history, 3..<5)
        let waiting = advance(&cursor, in: history)
        #expect(waiting.buffers.isEmpty && cursor.needsKeyframe)
        fill(&history, 5..<7, keys: [5])
        let begun = advance(&cursor, in: history)
        #expect(begun.buffers.count == 2 && !cursor.needsKeyframe)
    }

    @Test func `a viewer who keeps up never jumps to a keyframe`() {
        var history = SampleHistory<LiveRecord>()
        fill(&history, 0..<1, keys: [0])
        var cursor = ViewerCursor(form: .records, history: history)
        var got = 0
        for number in 1...200 {
            fill(&history, number..<number + 1, keys: [50, 100, 150])
            // A few at a time, as a connection takes them.
            guard number % 5 == 0 else { continue }
            let batch = advance(&cursor, in: history)
            got += batch.buffers.count
            #expect(batch.droppedFrames == 0)
        }
        #expect(got == 201)
    }

    @Test func `a viewer who is a second behind continues with the newest keyframe`() {
        var history = SampleHistory<LiveRecord>()
        fill(&history, 0..<1, keys: [0])
        var cursor = ViewerCursor(form: .records, history: history)
        fill(&history, 1..<18, keys: [15])
        let batch = advance(&cursor, in: history)
        // The state, then the keyframe and what follows.
        #expect(batch.buffers.count == 1 + 3)
        #expect(batch.buffers.first == Samples.state.chunks)
        #expect(cursor.next == 18)
        #expect(batch.droppedFrames > 0)
    }

    @Test func `a viewer who is behind without a newer keyframe gets everything and requests none`() {
        var history = SampleHistory<LiveRecord>()
        fill(&history, 0..<1, keys: [0])
        var cursor = ViewerCursor(form: .records, history: history)
        fill(&history, 1..<40)
        let batch = advance(&cursor, in: history, byteLimit: 500)
        #expect(!cursor.needsKeyframe)
        #expect(batch.buffers.count < 40 && batch.droppedFrames == 0)
        fill(&history, 40..<42, keys: [40])
        let last = advance(&cursor, in: history)
        #expect(last.buffers.count == 1 + 2)
        #expect(cursor.next == 42 && last.droppedFrames > 0)
    }

    @Test func `a viewer whose place the history has dropped waits for a keyframe`() {
        var history = SampleHistory<LiveRecord>(byteLimit: 4096)
        fill(&history, 0..<1, keys: [0])
        var cursor = ViewerCursor(form: .records, history: history)
        fill(&history, 1..<60, bytes: 400)
        let batch = advance(&cursor, in: history)
        #expect(cursor.needsKeyframe)
        #expect(batch.buffers == [Samples.state.chunks])
        fill(&history, 60..<62, keys: [60])
        #expect(advance(&cursor, in: history).buffers.count == 2)
    }

    @Test func `a player of the file gets fragments only`() {
        var history = SampleHistory<LiveRecord>()
        fill(&history, 0..<1, keys: [0])
        history.append(Samples.state, at: 0)
        fill(&history, 1..<2)
        var cursor = ViewerCursor(form: .fragments, history: history)
        let buffers = advance(&cursor, in: history).buffers
        #expect(buffers.map(\.readableBytes) == [109, 109])
    }
}
