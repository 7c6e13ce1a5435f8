// Requests that wait for answers. Numbers them, for either end of a channel and for work on other threads.

/// Requests with unique numbers. An answer finds its request by number, once, and answers may come in any order.
package struct PendingRequests<Request> {
    fileprivate struct Entry {
        var request: Request
        /// Nanoseconds of CLOCK_MONOTONIC; nil: no limit.
        var deadline: Int64?
    }

    private var entries: [Int: Entry] = [:]
    private var lastNumber = 0

    package init() {}

    /// The time to call `removeDue` at the latest; nil: no request has a deadline.
    package var nextDeadline: Int64? { entries.values.compactMap(\.deadline).min() }

    package func count(where matches: (Request) -> Bool) -> Int { entries.values.count { matches($0.request) } }

    package mutating func changeEach(_ change: (inout Request) -> Void) {
        entries = entries.mapValues { entry in
            var entry = entry
            change(&entry.request)
            return entry
        }
    }

    /// Returns the request's number, which counts up from 1.
    package mutating func add(_ request: Request, until deadline: Int64? = nil) -> Int {
        lastNumber += 1
        entries[lastNumber] = Entry(request: request, deadline: deadline)
        return lastNumber
    }

    /// Removes the request that is answered now; nil if there is none with this number.
    package mutating func remove(_ number: Int) -> Request? { entries.removeValue(forKey: number)?.request }

    /// Oldest first.
    package mutating func removeAll() -> [Request] {
        defer { entries = [:] }
        return entries.sorted { $0.key < $1.key }.map(\.value.request)
    }

    /// Removes and returns the requests that are due, oldest first.
    ///
    /// - Parameter extended: the new deadline of a request that continues to wait; nil removes it.
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
