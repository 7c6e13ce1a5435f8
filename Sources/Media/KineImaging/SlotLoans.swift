// The readers of each slot. The encoder, the readers in other processes and the converter may all have the same frame;
// its slot is drawn over again only when the last of them is done.
import Synchronization

/// Counts the readers of each slot of a frame memory, which it keeps alive. Any thread may call it.
public final class SlotLoans: Sendable {
    private let readers: Mutex<[Int]>
    private let memory: any AnyObject & Sendable

    /// `memory` owns the memory of the slots.
    public init(slotCount: Int, memory: any AnyObject & Sendable) {
        readers = Mutex([Int](repeating: 0, count: slotCount))
        self.memory = memory
    }

    /// The first slot that nobody reads, `kept` left out.
    public func firstFree(except kept: Int? = nil) -> Int? {
        readers.withLock { readers in readers.indices.first { readers[$0] == 0 && $0 != kept } }
    }

    /// Among the slots that nobody reads, `kept` left out, the first with the least `cost`.
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

    /// Adds a reader. Only for callers that know that the slot is lent, or have just filled it.
    public func retain(_ slot: Int) { readers.withLock { $0[slot] += 1 } }

    /// Removes a reader.
    public func release(_ slot: Int) {
        readers.withLock { readers in
            precondition(readers[slot] > 0, "a slot was given back more often than it was lent")
            readers[slot] -= 1
        }
    }
}
