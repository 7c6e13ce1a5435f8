// A queue from any thread to one that sleeps in poll.
import Synchronization

/// Elements for the thread that waits on `descriptor`, in the order in which any threads post them.
public final class Mailbox<Element: Sendable>: Sendable {
    private struct Contents {
        var elements: [Element] = []
        var isClosed = false
    }

    private let contents = Mutex(Contents())
    private let wake = WakeSignal()

    public init() {}

    /// For poll: readable once something was posted, or the mailbox was closed. Owned by the mailbox.
    public var descriptor: Int32 { wake.descriptor }

    /// Whether it is closed and empty: nothing comes any more.
    public var isOver: Bool { contents.withLock { $0.isClosed && $0.elements.isEmpty } }

    /// Keeps the element for the next `drain`. A closed mailbox keeps nothing and returns false.
    @discardableResult public func post(_ element: Element) -> Bool {
        let isKept = contents.withLock { contents in
            if !contents.isClosed { contents.elements.append(element) }
            return !contents.isClosed
        }
        if isKept { wake.signal() }
        return isKept
    }

    /// Wakes the reader though nothing was posted.
    public func interrupt() { wake.signal() }

    /// Takes all elements out, the oldest first.
    public func drain() -> [Element] {
        wake.clear()
        return contents.withLock { contents in
            defer { contents.elements = [] }
            return contents.elements
        }
    }

    /// Accepts nothing more. What was posted before waits for `drain`.
    public func close() {
        contents.withLock { $0.isClosed = true }
        wake.signal()
    }
}
