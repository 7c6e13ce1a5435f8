// A queue from any thread to a thread that sleeps in poll.
import Synchronization

/// Elements for the thread that waits on `descriptor`, in the order in which they were posted.
public final class Mailbox<Element: Sendable>: Sendable {
    private struct Contents {
        var elements: [Element] = []
        var isClosed = false
    }

    private let contents = Mutex(Contents())
    private let wake = WakeSignal()

    public init() {}

    /// For poll: readable after a post and after `close`. Owned by the mailbox.
    public var descriptor: Int32 { wake.descriptor }

    /// Whether it is closed and empty, so that no element follows.
    public var isOver: Bool { contents.withLock { $0.isClosed && $0.elements.isEmpty } }

    /// Keeps the element for the next `drain`. Returns false if the mailbox is closed; the element is dropped then.
    @discardableResult public func post(_ element: Element) -> Bool {
        let isKept = contents.withLock { contents in
            if !contents.isClosed { contents.elements.append(element) }
            return !contents.isClosed
        }
        if isKept { wake.signal() }
        return isKept
    }

    /// Removes and returns all elements, the oldest first.
    public func drain() -> [Element] {
        wake.clear()
        return contents.withLock { contents in
            defer { contents.elements = [] }
            return contents.elements
        }
    }

    /// Accepts no more elements. Those posted before stay until `drain`.
    public func close() {
        contents.withLock { $0.isClosed = true }
        wake.signal()
    }
}
