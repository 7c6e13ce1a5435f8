// Extensions that use more memory than they may, by themselves or through others.
import Glibc
import Testing

@Suite(.serialized, .tags(.real, .programs, .margins)) struct MemoryTests {
    static let megabyte = 1 << 20

    /// The peak and the limit with which the destination ended.
    func exceeded(_ engine: EngineUnderTest) throws -> (peak: Int, limit: Int) {
        let (ending, _) = try engine.ended()
        guard case .memoryLimitExceeded(let peak, let limit) = ending else {
            Issue.record("it ended as \(ending)")
            return (0, 0)
        }
        return (peak, limit)
    }

    @Test func `a fast leak is warned of at 80 % and ended at the limit, with a peak little above it`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake("leak", ["rate": "20"]), in: place)
            let (peak, limit) = try exceeded(engine)
            #expect(limit == 50 * Self.megabyte)
            #expect(peak > limit)
            let over = Double(peak - limit) / Double(Self.megabyte)
            Margin.atMost(4, over, "MB", "over the limit, leaking 20 MB a second")
            let warnings = engine.kinds().compactMap { kind -> Int? in
                if case .memoryWarning(let resident, _) = kind { resident } else { nil }
            }
            // A machine that looks too rarely finds the limit broken already.
            #expect(warnings.count <= 1)
            Margin.atLeast(1, Double(warnings.count), "warnings", "before the limit")
            #expect(warnings.allSatisfy { $0 > 40 * Self.megabyte && $0 <= limit })
            let summary = try engine.finish(in: place)
            #expect(summary?.destinations.first?.peakMemory == peak)
        }
    }

    @Test func `a leak of a megabyte a second is ended at the limit`() throws {
        try TestPlace.with { place in
            // A good extension stays below this, so a few seconds of leaking reach it.
            try place.installFaults { $0.memoryLimit = 26 << 20 }
            let engine = try EngineUnderTest(place.faultyTake("leak", ["rate": "1"]), in: place)
            let (peak, limit) = try exceeded(engine)
            #expect(peak > limit)
            let over = Double(peak - limit) / Double(Self.megabyte)
            Margin.atMost(1, over, "MB", "over the limit, leaking 1 MB a second")
            try engine.finish(in: place)
        }
    }

    @Test func `memory taken as fast as the machine can is a memory limit exceeded, and harms nobody else`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake("leakAtOnce"), in: place)
            let begun = try engine.state("now")
            let (peak, limit) = try exceeded(engine)
            #expect(peak > limit)
            Margin.atMost(6, Double(peak) / Double(limit), "limits", "peak, leaking as fast as it can")
            let over = try engine.ended().at
            Margin.atMost(1, Double(over - begun) / 1e9, "s", "from the leak to its end")
            try engine.finish(in: place)
        }
    }

    @Test(arguments: ["leakInChild", "leakTables"])
    func `the memory of processes that an extension starts, and that of its page tables, is its own`(
        leak: String
    ) throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake(leak), in: place)
            let (peak, limit) = try exceeded(engine)
            #expect(peak > limit)
            try engine.finish(in: place)
        }
    }
}
