// Typing is known to half a second, and no better.
import CoreTesting
import KineMedia
import Testing

@testable import KineInput

@Suite struct TypingSpansTests {
    /// The spans of keys at these milliseconds, where samples are written every half second, in half seconds.
    private func spans(_ keys: [Int64], interval: Int64 = 500) -> [Range<Int>] {
        var typing = TypingSpans()
        var parts: [Range<Int>] = []
        var left = keys[...]
        for end in stride(from: interval, through: (keys.last ?? 0) + interval, by: Int64.Stride(interval)) {
            while let key = left.first, key < end {
                typing.type(at: .milliseconds(key))
                left.removeFirst()
            }
            parts += typing.take()
        }
        return parts.reduce(into: []) { spans, part in
            if let last = spans.last, last.upperBound == part.lowerBound {
                spans[spans.count - 1] = last.lowerBound..<part.upperBound
            } else {
                spans.append(part)
            }
        }
    }

    @Test func `a key is a span of a second`() {
        #expect(spans([700]) == [1..<3])
        #expect(spans([0]) == [0..<2])
        #expect(spans([999]) == [1..<3])
    }

    @Test func `spans less than a second apart are one`() {
        #expect(spans([0, 1999]) == [0..<4])
        #expect(spans([0, 2000]) == [0..<2, 4..<6])
        #expect(spans([100, 900, 1400, 2400]) == [0..<5])
    }

    @Test(arguments: 1...20) func `more keys, and their instants in a half second, change nothing`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let halves = (0..<60).filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        let plain = halves.map { Int64($0) * 500 }
        let crowded = halves.flatMap { half in
            (0..<Int.random(in: 1...6, using: &random)).map { _ in
                Int64(half) * 500 + Int64.random(in: 0..<500, using: &random)
            }
        }.sorted()
        let expected = spans(plain)
        #expect(spans(crowded) == expected)
        #expect(spans(crowded, interval: 100) == expected && spans(crowded, interval: 2000) == expected)
        #expect(expected.allSatisfy { $0.count >= 2 })
        #expect(zip(expected, expected.dropFirst()).allSatisfy { $1.lowerBound - $0.upperBound >= 2 })
    }
}
