// Random numbers that can be repeated after a failed run: the seed is printed, and KINECAST_SEED sets it.
import KinePlatform

package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// A new seed for each run, printed with `name`; KINECAST_SEED's instead where that is set.
    package init(for name: String = #function) {
        let seed = ProcessEnvironment.value("KINECAST_SEED").flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
        print("\(name): KINECAST_SEED=\(seed)")
        self.init(seed: seed)
    }

    /// SplitMix64 (Steele, Lea and Flood, 2014).
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
