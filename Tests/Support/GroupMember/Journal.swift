// What a member has heard, and when.
import Glibc
import KinePlatform
import Synchronization

/// Prints each entry at once, or all of them when standard input ends, and the process with it.
final class Journal: Sendable {
    private struct Entry {
        var verb: StaticString
        var value: Int64?
        var instant: Int64

        var line: String { "\(verb)\(value.map { " \($0)" } ?? "") at \(instant)" }
    }

    private let entries = Mutex<[Entry]>([])
    private let printsLater: Bool

    init(printsLater: Bool) throws {
        self.printsLater = printsLater
        guard printsLater else { return }
        entries.withLock { $0.reserveCapacity(10_000) }
        _ = try DedicatedThread(starting: "input") { [self] in
            var byte: UInt8 = 0
            while read(0, &byte, 1) > 0 {}
            say(entries.withLock { $0.map(\.line).joined(separator: "\n") })
            exit(0)
        }
    }

    func note(_ verb: StaticString, _ value: Int64? = nil) {
        let entry = Entry(verb: verb, value: value, instant: MonotonicClock.now())
        if printsLater { entries.withLock { $0.append(entry) } } else { say(entry.line) }
    }
}
