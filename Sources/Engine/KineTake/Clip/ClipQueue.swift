// A queue whose elements keep their numbers while older ones leave, so that an index can point into it.

/// First in, first out. Elements are numbered from the first that was ever appended. Appending and removing cost the same however
/// long the queue is, on average; some removed elements stay in memory for a while.
struct ClipQueue<Element> {
    private var storage: [Element] = []
    /// Elements at the front of `storage` that have left.
    private var head = 0
    /// The number of the first element that is still there.
    private(set) var startIndex = 0

    var count: Int { storage.count - head }
    var isEmpty: Bool { count == 0 }
    var endIndex: Int { startIndex + count }
    var indices: Range<Int> { startIndex..<endIndex }
    var first: Element? { isEmpty ? nil : storage[head] }
    var last: Element? { isEmpty ? nil : storage[storage.count - 1] }

    subscript(index: Int) -> Element { storage[head + index - startIndex] }

    mutating func append(_ element: Element) { storage.append(element) }

    /// Removes every element before that number.
    mutating func removeFirst(before index: Int) {
        let removed = min(max(0, index - startIndex), count)
        startIndex += removed
        head += removed
        guard head > 256, head > storage.count / 2 else { return }
        storage.removeSubrange(..<head)
        head = 0
    }

    mutating func removeAll() {
        startIndex = endIndex
        storage = []
        head = 0
    }

    /// The number of the last element for which `isBefore` holds, in a queue whose elements are in that order; nil: for none.
    func lastIndex(where isBefore: (Element) -> Bool) -> Int? {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low == startIndex ? nil : low - 1
    }
}

extension ClipQueue: Sendable where Element: Sendable {}
