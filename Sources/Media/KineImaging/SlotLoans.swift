// Counts the readers of each slot. The encoder, readers in other processes and the converter may share a frame; its
// slot is reused only after the last of them has released it.
import Synchronization

/// Counts the readers of each slot, and keeps the memory of the slots alive. Any thread may use it.
public final class SlotReferences: Sendable {
    private let readers: Mutex<[Int]>
    private let memory: any AnyObject & Sendable

    /// `memory` owns the memory of the slots.
    public init(slotCount: Int, memory: any AnyObject & Sendable) {
        readers = Mutex([Int](repeating: 0, count: slotCount))
        self.memory = memory
    }

    /// The first slot without a reader, except `kept`.
    public func firstFree(except kept: Int? = nil) -> Int? {
        readers.withLock { readers in readers.indices.first { readers[$0] == 0 && $0 != kept } }
    }

    /// The slot with the least `cost` among those without a reader, except `kept`; the first of equals.
    func cheapestFree(except kept: Int?, cost: (Int) -> Int) -> Int? {
        readers.withLock { readers in
            var best: (slot: Int, cost: Int)?
            for slot in readers.indices where readers[slot] == 0 && slot != kept {
                let cost = cost(slot)
                if best.map({ cost < $0.cost }) ?? true { best = (slot, cost) }
            }
            return best?.slot
        }
    }

    /// Adds a reader. Only valid for a slot that has a reader or was just filled.
    public func retain(_ slot: Int) { readers.withLock { $0[slot] += 1 } }

    public func release(_ slot: Int) {
        readers.withLock { readers in
            precondition(readers[slot] > 0, "a slot was given back more often than it was lent")
            readers[slot] -= 1
        }
    }
}
