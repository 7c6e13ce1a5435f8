// A queue whose elements keep their numbers.
import KineMedia
import Testing

@Suite struct NumberedQueueTests {
    private final class Element {}

    @Test func `elements keep their numbers while others leave`() {
        var queue = NumberedQueue<Int>()
        for number in 0..<2000 {
            queue.append(number)
            queue.removeFirst(before: number - 9)
            #expect(queue.indices == max(0, number - 9)..<number + 1)
            #expect(queue.first == queue.startIndex && queue.last == number && queue[number] == number)
        }
        queue.removeFirst(before: 5000)
        #expect(queue.isEmpty && queue.first == nil && queue.last == nil && queue.indices == 2000..<2000)
    }

    @Test func `a removed element is released at once`() {
        var queue = NumberedQueue<Element>()
        weak var first: Element?
        do {
            let element = Element()
            first = element
            queue.append(element)
        }
        queue.append(Element())
        #expect(first != nil)
        queue.removeFirst(before: 1)
        #expect(first == nil && queue.count == 1)
    }

    @Test func `the last element is found for which a condition holds`() {
        var queue = NumberedQueue<Int>()
        for number in 0..<10 { queue.append(number * 10) }
        queue.removeFirst(before: 3)
        #expect(queue.lastIndex { $0 <= 55 } == 5)
        #expect(queue.lastIndex { $0 < 30 } == nil)
        #expect(queue.lastIndex { _ in true } == 9)
    }
}
