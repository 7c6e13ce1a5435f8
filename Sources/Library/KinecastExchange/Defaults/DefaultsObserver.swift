// Observes shared defaults: reads each change of the file once, and compares it with the previous values.
import Synchronization
import SystemPackage

/// Turns changes of the file into changes of values.
public enum DefaultsObserver {
    /// A change, and the values after it.
    public struct Step: Sendable {
        public let change: SharedDefaults.Change
        let snapshot: DefaultsSnapshot
    }

    /// - Parameter startingWithAll: whether the present values are the first step.
    static func steps(
        of store: DefaultsStore, in directory: FilePath, startingWithAll: Bool = false
    ) throws(DefaultsError) -> Coalesced<Step> {
        let queue = CoalescingQueue<Step> { old, new in
            // Two changes are merged; a failure stays.
            if case .changed = old.change, case .changed = new.change { return true }
            return old.change == new.change
        } joining: { old, new in
            guard case .changed(let earlier) = old.change, case .changed(let later) = new.change else { return new }
            return Step(change: .changed(earlier.union(later)), snapshot: new.snapshot)
        }
        let name = store.path.lastComponent?.string ?? ""
        let seen = Mutex(Seen())
        let observation = Observation(store: store, queue: queue, seen: seen)
        do throws(GroupError) {
            // Watch before the first read, so that no change is missed.
            queue.keep(
                try GroupWatcher.shared.watch(directory) { [weak observation] change in
                    switch change {
                    case .written(name), .removed(name), .several: observation?.look()
                    case .written, .removed: break
                    }
                })
        } catch {
            throw .group(error)
        }
        queue.keep(observation)
        try observation.begin(startingWithAll: startingWithAll)
        return Coalesced(queue)
    }
}

/// The state that an observer has seen last.
struct Seen {
    var snapshot: DefaultsSnapshot?
    var isDamaged = false
}

/// Reads the file after each change.
private final class Observation: Sendable {
    private let store: DefaultsStore
    private weak let queue: CoalescingQueue<DefaultsObserver.Step>?
    private let seen: Mutex<Seen>

    init(store: DefaultsStore, queue: CoalescingQueue<DefaultsObserver.Step>, seen: consuming Mutex<Seen>) {
        self.store = store
        self.queue = queue
        self.seen = seen
    }

    private func post(_ step: DefaultsObserver.Step) { queue?.post(step) }

    func begin(startingWithAll: Bool) throws(DefaultsError) {
        let reading = try store.read()
        seen.withLock { seen in
            // The watcher's thread may already have seen a change.
            guard seen.snapshot == nil else { return }
            seen.snapshot = reading.snapshot
            if startingWithAll {
                let keys = Set(reading.snapshot.entries.keys)
                post(DefaultsObserver.Step(change: .changed(keys), snapshot: reading.snapshot))
            }
        }
        if reading.isDamaged { look() }
    }

    func look() {
        seen.withLock { seen in
            let last = seen.snapshot ?? DefaultsSnapshot()
            let reading: DefaultsStore.Reading
            do throws(DefaultsError) {
                reading = try store.read()
            } catch {
                return post(DefaultsObserver.Step(change: .failed(error), snapshot: last))
            }
            if reading.isDamaged, !seen.isDamaged {
                post(DefaultsObserver.Step(change: .failed(.damaged(store.file)), snapshot: reading.snapshot))
            }
            let keys = reading.snapshot.keys(differingFrom: last)
            if !keys.isEmpty || seen.snapshot == nil {
                post(DefaultsObserver.Step(change: .changed(keys), snapshot: reading.snapshot))
            }
            seen = Seen(snapshot: reading.snapshot, isDamaged: reading.isDamaged)
        }
    }
}

/// The values of a key in order; of several unread values, only the newest.
public struct DefaultsValues<Value: Decodable & Equatable & Sendable>: AsyncSequence, Sendable {
    public struct AsyncIterator: AsyncIteratorProtocol {
        var steps: Coalesced<DefaultsObserver.Step>.AsyncIterator
        let key: String
        private var last: Value??

        init(steps: Coalesced<DefaultsObserver.Step>.AsyncIterator, key: String) {
            self.steps = steps
            self.key = key
        }

        /// Nil at the end; an element is nil if the key has no value.
        public mutating func next() async -> Value?? {
            while let step = await steps.next() {
                guard case .changed(let keys) = step.change, last == nil || keys.contains(key),
                    let value = try? SharedDefaults.value(Value.self, forKey: key, in: step.snapshot) as Value??
                else { continue }
                if let last, last == value { continue }
                last = .some(value)
                return .some(value)
            }
            return nil
        }
    }

    let steps: Coalesced<DefaultsObserver.Step>
    let key: String

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(steps: steps.makeAsyncIterator(), key: key) }
}
