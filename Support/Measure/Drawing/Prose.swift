// Words to fill pages with: the same ones for the same seed.

/// Made-up text in ASCII.
public enum Prose {
    private static let words = [
        "the", "a", "of", "to", "in", "and", "it", "is", "was", "for", "with", "that", "on", "as", "by", "this",
        "screen", "frame", "window", "reader", "river", "morning", "letter", "engine", "paper", "garden", "harbour",
        "quiet", "narrow", "simple", "broken", "early", "certain", "bright", "slowly", "often", "never", "almost",
        "keeps", "waits", "turns", "shows", "writes", "follows", "carries", "between", "because", "through",
        "seventeen", "Thursday", "Jupiter", "boxes", "fjord", "vexed", "quartz", "glyph", "waltz", "jumps",
    ]

    /// One line of at most `columns` characters, ended at a word.
    public static func line(_ index: Int, columns: Int, seed: UInt64) -> [UInt8] {
        var text: [UInt8] = []
        var word = 0
        while true {
            let place = index &* 64 &+ word
            var next = Array(words[IndexedRandom.below(words.count, place, seed: seed)].utf8)
            switch IndexedRandom.below(14, place, seed: seed ^ 7) {
            case 0: next.append(UInt8(ascii: ","))
            case 1: next.append(UInt8(ascii: "."))
            default: break
            }
            if text.count + next.count + 1 > columns { return text }
            if !text.isEmpty { text.append(UInt8(ascii: " ")) }
            text += next
            word += 1
        }
    }

    /// A line as a build prints it, with a path and numbers, of at most `columns` characters.
    public static func logLine(_ index: Int, columns: Int, seed: UInt64) -> [UInt8] {
        let kind = IndexedRandom.below(6, index, seed: seed)
        let name = words[IndexedRandom.below(words.count, index, seed: seed ^ 1)]
        let other = words[IndexedRandom.below(words.count, index, seed: seed ^ 2)]
        let number = IndexedRandom.below(100_000, index, seed: seed ^ 3)
        let text =
            switch kind {
            case 0: "[\(index)/9000] Compiling \(name)_\(other).c -> build/\(name)/\(other).o (\(number % 900) ms)"
            case 1: "    note: \(name) -> \(other) took \(number) us, \(number % 64) KiB in \(number % 7) pieces"
            case 2:
                "-rw-r--r-- 1 user user \(number) Mar \(number % 28 + 1) 12:\(10 + number % 50) \(name)-\(other).txt"
            case 3: "src/\(name)/\(other).swift:\(number % 400): \(other) is \(name), see #\(number % 999)"
            case 4: "ok \(number) - \(name) \(other) {\"value\": \(number % 333), \"unit\": \"ms\"}"
            default: "$ \(name) --\(other)=\(number) | grep -v \(name)"
            }
        return Array(text.utf8.prefix(columns))
    }
}

/// Numbers that look random and are the same on every run and every machine:
/// SplitMix64 (Steele, Lea and Flood, 2014): the number of a position, with no state to carry along.
public enum IndexedRandom {
    /// 64 well mixed bits of `index` in the series `seed`.
    public static func bits(_ index: Int, seed: UInt64) -> UInt64 {
        var z = seed &+ UInt64(bitPattern: Int64(index)) &* 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number from zero to `limit` − 1.
    public static func below(_ limit: Int, _ index: Int, seed: UInt64) -> Int {
        Int(bits(index, seed: seed) % UInt64(max(1, limit)))
    }

    /// A number from 0 to 1.
    public static func unit(_ index: Int, seed: UInt64) -> Double {
        Double(bits(index, seed: seed) >> 11) / 9007199254740992
    }
}
