// Passes changes from the watcher's thread to a `for await` loop, merging unread ones.
import Synchronization
import SystemPackage

/// The changes since the last read, in order. Only one loop may read it; a second one would take some of its elements.
public struct Coalesced<Element: Sendable>: AsyncSequence, Sendable {
    public struct AsyncIterator: AsyncIteratorProtocol {
        let queue: CoalescingQueue<Element>
        public mutating func next() async -> Element? { await queue.next() }
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? { await queue.next() }
    }

    let queue: CoalescingQueue<Element>

    init(_ queue: CoalescingQueue<Element>) { self.queue = queue }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue: queue) }
}

extension Coalesced {
    /// - Parameters:
    ///   - transform: returns nil for a change of no interest.
    ///   - replaces: whether a waiting element is dropped because of the newer one.
    init(
        watching directory: FilePath, overflow: Element? = nil,
        _ transform: @escaping @Sendable (DirectoryChange) -> Element?,
        replaces: @escaping @Sendable (Element, Element) -> Bool
    ) throws(GroupError) {
        let queue = CoalescingQueue(replaces: replaces, overflow: overflow)
        let watch = try GroupWatcher.shared.watch(directory) { [weak queue] change in
            if let element = transform(change) { queue?.post(element) }
        }
        queue.keep(watch)
        self.init(queue)
    }
}

/// A queue for one reader, in which newer elements replace older ones.
final class CoalescingQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiter: CheckedContinuation<Element?, Never>?
        /// Objects that live as long as this one.
        var kept: [AnyObject & Sendable] = []
    }

    private let state = Mutex(State())
    private let replaces: @Sendable (Element, Element) -> Bool
    private let joining: @Sendable (Element, Element) -> Element
    private let overflow: Element?
    /// The most waiting elements.
    private static var most: Int { 256 }

    /// - Parameters:
    ///   - overflow: replaces the elements if there are too many; nil: there are few kinds.
    ///   - replaces: whether a waiting element is dropped because of the newer one.
    ///   - joining: the element that replaces both.
    init(
        replaces: @escaping @Sendable (Element, Element) -> Bool,
        joining: @escaping @Sendable (Element, Element) -> Element = { $1 }, overflow: Element? = nil
    ) {
        self.replaces = replaces
        self.joining = joining
        self.overflow = overflow
    }

    func keep(_ object: AnyObject & Sendable) { state.withLock { $0.kept.append(object) } }

    func post(_ element: Element) {
        let waiter = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            if let waiter = state.waiter {
                state.waiter = nil
                return waiter
            }
            var element = element
            if state.elements.count >= Self.most, let overflow {
                state.elements = [overflow]
                return nil
            }
            for old in state.elements where replaces(old, element) { element = joining(old, element) }
            state.elements.removeAll { replaces($0, element) }
            state.elements.append(element)
            return nil
        }
        waiter?.resume(returning: element)
    }

    /// Waits for the oldest element. Nil when the task is cancelled.
    func next() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> Element?? in
                    if !state.elements.isEmpty { return .some(state.elements.removeFirst()) }
                    if Task.isCancelled { return .some(nil) }
                    // A second reader ends the wait of the first.
                    state.waiter?.resume(returning: nil)
                    state.waiter = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }?.resume(returning: nil)
        }
    }
}
