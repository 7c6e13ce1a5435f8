// Makes inputs out of seeds by chance, the same ones in every run.
#if REPLAY
    struct Mutator {
        private let seeds: [[UInt8]]
        private let words: [[UInt8]]
        private var random = SplitMix()
        private static let mostBytes = 16384

        init(seeds: [[UInt8]], words: [[UInt8]]) {
            self.seeds = seeds
            self.words = words
        }

        mutating func next() -> [UInt8] {
            var bytes = seeds.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &random) { change(&bytes) }
            return Array(bytes.prefix(Self.mostBytes))
        }

        private mutating func change(_ bytes: inout [UInt8]) {
            let start = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 0...32, using: &random))
            switch Int.random(in: 0..<7, using: &random) {
            case 0 where start < bytes.count: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            // Lengths and counts are most often wrong at the ends of their range.
            case 1 where start < bytes.count: bytes[start] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &random)!
            case 2: bytes.removeSubrange(start..<end)
            case 3: bytes.removeSubrange(start...)
            case 4: bytes.insert(contentsOf: bytes[start..<end], at: Int.random(in: 0...bytes.count, using: &random))
            case 5:
                let other = seeds.randomElement(using: &random) ?? []
                bytes.replaceSubrange(start..., with: other[Int.random(in: 0...other.count, using: &random)...])
            default:
                let noise = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
                let word = words.randomElement(using: &random) ?? noise
                bytes.replaceSubrange(start..<(Bool.random(using: &random) ? start : end), with: word)
            }
        }

        /// The words of a dictionary of libFuzzer's: lines of `name="value"`, with `\"`, `\\` and `\xAB` in the value.
        static func words(in dictionary: [UInt8]) -> [[UInt8]] {
            dictionary.split(separator: UInt8(ascii: "\n")).compactMap { line in
                guard line.first != UInt8(ascii: "#"), let first = line.firstIndex(of: UInt8(ascii: "\"")),
                    let last = line.lastIndex(of: UInt8(ascii: "\"")), first < last
                else { return nil }
                var word: [UInt8] = []
                var rest = line[(first + 1)..<last]
                while let byte = rest.popFirst() {
                    guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
                        word.append(byte)
                        continue
                    }
                    if escaped == UInt8(ascii: "x"),
                        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                    {
                        word.append(value)
                        rest = rest.dropFirst(2)
                    } else {
                        word.append(escaped)
                    }
                }
                return word
            }
        }
    }

    /// SplitMix64 (Steele, Lea and Flood, 2014): the same numbers in every run.
    private struct SplitMix: RandomNumberGenerator {
        private var state: UInt64 = 1

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var value = state
            value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
            return value ^ (value >> 31)
        }
    }
#endif
