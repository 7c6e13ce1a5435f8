// Requests that wait for their answers: the one place that numbers them, for either end of a channel and for work that
// other threads do for it.

/// Requests under numbers of their own. An answer finds its request by the number, once, in whatever order answers
/// come.
package struct PendingRequests<Request> {
    fileprivate struct Entry {
        var request: Request
        /// Nanoseconds of CLOCK_MONOTONIC; nil: it waits for as long as it takes.
        var deadline: Int64?
    }

    private var entries: [Int: Entry] = [:]
    private var lastNumber = 0

    package init() {}

    /// The latest instant for `removeDue`; nil: no request has a deadline.
    package var nextDeadline: Int64? { entries.values.compactMap(\.deadline).min() }

    package func count(where matches: (Request) -> Bool) -> Int { entries.values.count { matches($0.request) } }

    package mutating func changeEach(_ change: (inout Request) -> Void) {
        entries = entries.mapValues { entry in
            var entry = entry
            change(&entry.request)
            return entry
        }
    }

    /// Returns the request's number: 1 for the first, and then the next one.
    package mutating func add(_ request: Request, until deadline: Int64? = nil) -> Int {
        lastNumber += 1
        entries[lastNumber] = Entry(request: request, deadline: deadline)
        return lastNumber
    }

    /// The request that is answered now; nil: none of that number waits.
    package mutating func remove(_ number: Int) -> Request? { entries.removeValue(forKey: number)?.request }

    /// The oldest first.
    package mutating func removeAll() -> [Request] {
        defer { entries = [:] }
        return entries.sorted { $0.key < $1.key }.map(\.value.request)
    }

    /// Removes the requests whose time is over, and returns them, the oldest first.
    ///
    /// - Parameter extended: another deadline for a request that goes on waiting; nil: it is removed.
    package mutating func removeDue(at now: Int64, unless extended: (inout Request) -> Int64?) -> [Request] {
        var removed: [Request] = []
        for number in entries.keys.sorted() {
            guard var entry = entries[number], let deadline = entry.deadline, now >= deadline else { continue }
            if let later = extended(&entry.request) {
                entry.deadline = later
                entries[number] = entry
            } else {
                entries[number] = nil
                removed.append(entry.request)
            }
        }
        return removed
    }
}

extension PendingRequests: Sendable where Request: Sendable {}
extension PendingRequests.Entry: Sendable where Request: Sendable {}
