// Numbers that look random and are the same on every run and every machine.

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
