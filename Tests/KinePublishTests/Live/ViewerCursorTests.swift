// Which samples a viewer gets, fast or slow.
import KineMedia
import Testing

@testable import KinePublish

@Suite struct ViewerCursorTests {
    private func fill(_ history: inout SampleHistory, _ numbers: Range<Int>, keys: Set<Int> = [], bytes: Int = 100) {
        for number in numbers {
            history.append(Samples.record(key: keys.contains(number), bytes: bytes, at: Double(number) / 10))
        }
    }

    @Test func aNewViewerBeginsWithTheNewestKeyframe() {
        var history = SampleHistory(hasVideo: true)
        fill(&history, 0..<25, keys: [0, 20])
        var cursor = ViewerCursor(form: .records, history: history)
        #expect(cursor.take(from: history, state: Samples.state).buffers.count == 5)
        #expect(cursor.take(from: history, state: Samples.state).buffers.isEmpty)
        #expect(cursor.droppedPictures == 0)
    }

    @Test func whoComesBeforeAnyKeyframeWaitsForOneAndAsks() {
        var history = SampleHistory(hasVideo: true)
        fill(&history, 1..<3)
        history.append(Samples.record(.audioApp, key: true, at: 0.2))
        var cursor = ViewerCursor(form: .records, history: history)
        fill(&history, 3..<5)
        let waiting = cursor.take(from: history, state: Samples.state)
        #expect(waiting.buffers.isEmpty && waiting.wantsKeyframe)
        fill(&history, 5..<7, keys: [5])
        let begun = cursor.take(from: history, state: Samples.state)
        #expect(begun.buffers.count == 2 && !begun.wantsKeyframe)
    }

    @Test func whoFollowsIsNeverMovedByAKeyframe() {
        var history = SampleHistory(hasVideo: true)
        fill(&history, 0..<1, keys: [0])
        var cursor = ViewerCursor(form: .records, history: history)
        var got = 0
        for number in 1..<200 {
            fill(&history, number..<number + 1, keys: [50, 100, 150])
            // A few at a time, as a connection takes them.
            if number % 5 == 0 { got += cursor.take(from: history, state: Samples.state).buffers.count }
        }
        got += cursor.take(from: history, state: Samples.state).buffers.count
        #expect(got == 200)
        #expect(cursor.droppedPictures == 0)
    }

    @Test func whoIsASecondBehindGoesOnWithTheNewestKeyframe() {
        var history = SampleHistory(hasVideo: true)
        fill(&history, 0..<1, keys: [0])
        var cursor = ViewerCursor(form: .records, history: history)
        fill(&history, 1..<18, keys: [15])
        let batch = cursor.take(from: history, state: Samples.state)
        // How the stream stands, then the keyframe and what follows.
        #expect(batch.buffers.count == 1 + 3)
        #expect(batch.buffers.first == Samples.state.bytes)
        #expect(cursor.next == 18)
        #expect(cursor.droppedPictures > 0)
    }

    @Test func whoIsBehindWithoutAKeyframeToGoOnWithGetsAllAndWaitsForTheNextRegularOne() {
        var history = SampleHistory(hasVideo: true)
        fill(&history, 0..<1, keys: [0])
        var cursor = ViewerCursor(form: .records, history: history)
        fill(&history, 1..<40)
        let batch = cursor.take(from: history, state: Samples.state, byteLimit: 500)
        #expect(!batch.wantsKeyframe)
        #expect(batch.buffers.count < 40 && cursor.droppedPictures == 0)
        fill(&history, 40..<42, keys: [40])
        #expect(cursor.take(from: history, state: Samples.state).buffers.count == 1 + 2)
        #expect(cursor.next == 42 && cursor.droppedPictures > 0)
    }

    /// Many who lag, for a long time, in steps that do not fit the interval.
    @Test func allViewersTogetherAskForOneKeyframeInTwoSeconds() {
        for step in [1, 7, 333, 1999, 2000, 2001] {
            var asking = KeyframeAsking()
            let instants = stride(from: Int64(0), to: 60_000_000_000, by: step * 1_000_000)
            let asked = instants.flatMap { now in (0..<200).filter { _ in asking.asks(at: now) }.map { _ in now } }
            #expect(asked.first == 0)
            for (before, after) in zip(asked, asked.dropFirst()) {
                #expect(after - before >= 2_000_000_000 && after - before < 2_000_000_000 + Int64(step) * 1_000_000)
            }
        }
    }

    @Test func whoLostWhatTheHistoryNoLongerHasWaitsForAKeyframe() {
        var history = SampleHistory(hasVideo: true, byteLimit: 4096)
        fill(&history, 0..<1, keys: [0])
        var cursor = ViewerCursor(form: .records, history: history)
        fill(&history, 1..<60, bytes: 400)
        let batch = cursor.take(from: history, state: Samples.state)
        #expect(batch.wantsKeyframe)
        #expect(batch.buffers == [Samples.state.bytes])
        fill(&history, 60..<62, keys: [60])
        #expect(cursor.take(from: history, state: Samples.state).buffers.count == 2)
    }

    @Test func aPlayerOfTheFileGetsFragmentsOnly() {
        var history = SampleHistory(hasVideo: true)
        fill(&history, 0..<1, keys: [0])
        history.append(Samples.state)
        fill(&history, 1..<2)
        var cursor = ViewerCursor(form: .fragments, history: history)
        let buffers = cursor.take(from: history, state: Samples.state).buffers
        #expect(buffers.map(\.readableBytes) == [103, 103])
    }
}
