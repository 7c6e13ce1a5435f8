// A queue whose elements keep their numbers while older ones leave.

/// A first-in, first-out queue. Elements are numbered from the first ever appended. Appending and removing take
/// amortized constant time; a removed element is released at once.
package struct NumberedQueue<Element> {
    /// Nil: a removed element.
    private var storage: [Element?] = []
    /// Removed elements at the front of `storage`.
    private var head = 0
    /// The number of the first element that is still there.
    package private(set) var startIndex = 0

    package init() {}

    package var count: Int { storage.count - head }
    package var isEmpty: Bool { count == 0 }
    package var endIndex: Int { startIndex + count }
    package var indices: Range<Int> { startIndex..<endIndex }
    package var first: Element? { isEmpty ? nil : self[startIndex] }
    package var last: Element? { isEmpty ? nil : self[endIndex - 1] }

    /// The element with that number, which must be in `indices`.
    package subscript(index: Int) -> Element {
        guard let element = storage[head + index - startIndex] else { preconditionFailure("\(index) was removed") }
        return element
    }

    package mutating func append(_ element: Element) { storage.append(element) }

    /// Removes every element before that number.
    package mutating func removeFirst(before index: Int) {
        let removed = min(max(0, index - startIndex), count)
        for position in head..<head + removed { storage[position] = nil }
        startIndex += removed
        head += removed
        guard head > 256, head > storage.count / 2 else { return }
        storage.removeSubrange(..<head)
        head = 0
    }

    /// The number of the last element for which `isBefore` holds; all elements for which it holds must come first.
    package func lastIndex(where isBefore: (Element) -> Bool) -> Int? {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low == startIndex ? nil : low - 1
    }
}

extension NumberedQueue: Sendable where Element: Sendable {}
