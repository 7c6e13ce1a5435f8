// How soon the other processes of a group know of a value that was set, or of a notification that was posted.
import CoreTesting
import KinecastExchange
import ProcessTesting
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .margins)) struct ListeningTests {
    private static let events = 200
    /// The verbs of kinecast-member, and the most milliseconds until another knows of the change.
    static let ways: [(telling: String, listening: String, limit: Double)] = [
        ("set", "watch", 20), ("post", "listen", 5), ("post", "observe", 5),
    ]

    /// With 100 listeners one event makes 100 processes ready at once, and the last of them waits for all others.
    @Test(.enabled(if: Margin.isJudged), arguments: ListeningTests.ways, [1, 10, 100])
    func `what one process tells, all others know soon`(
        _ way: (telling: String, listening: String, limit: Double), _ count: Int
    ) async throws {
        try await TestGroup.with { group in
            let input = try FileDescriptor.pipe()
            defer { try? input.readEnd.close() }
            let listeners = try (0..<count).map { _ in
                try group.member(way.listening, "value", "later", input: input.readEnd)
            }
            for listener in listeners { try listener.line("ready") }
            let teller = try group.member(way.telling, "value", "\(Self.events)", "50")
            let told = try teller.wait().output.split(separator: "\n").compactMap(Self.instant)
            #expect(told.count == Self.events)
            // A change that is not known after a second is missing.
            try await Task.sleep(for: .seconds(1))
            // Listeners print when their input ends: printing takes longer than hearing.
            try input.writeEnd.close()
            var delays: [Int64] = []
            for listener in listeners {
                var next = 0
                for line in try listener.wait().output.split(separator: "\n") {
                    // A value is the instant before it was set; who hears a notification looks at all that has happened until then.
                    let words = line.split(separator: " ")
                    guard let heard = Self.instant(line), let known = words[0] == "saw" ? Int64(words[1]) : heard
                    else { continue }
                    let first = next
                    while next < told.count, told[next] <= known { next += 1 }
                    if next > first { delays.append(heard - told[first]) }
                }
                #expect(next == told.count, "\(told.count - next) are missing")
            }
            delays.sort()
            let late = Double(try #require(delays.dropLast(delays.count / 100).last)) / 1e6
            Margin.atMost(way.limit, late, "ms", "\(way.telling) to \(way.listening), \(count) listeners, p99")
        }
    }

    /// `set at N`, `posting at N`, `saw VALUE at N`, `heard at N`.
    private static func instant(_ line: Substring) -> Int64? {
        let words = line.split(separator: " ")
        return words.count >= 3 && words[words.count - 2] == "at" ? Int64(words[words.count - 1]) : nil
    }
}
