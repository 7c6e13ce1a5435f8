// The free space as a page shows it, in bytes and in time.
import KineMedia
import KineWire
import SystemPackage
import Testing

@testable import KineStudio

@Suite struct DiskWatchTests {
    @Test(
        arguments: [
            (38_400_000_000, 500_000.0, 38_000_000_000, 75600), (1_290_000_000, 500_000, 1_200_000_000, 2400),
            (129_000_000, 500_000, 120_000_000, 240), (9_000_000, 500_000, 0, 0), (0, 0, 0, 0),
            (.max, 0, 9_223_372_036_000_000_000, 999_999_997_200),
        ] as [(Int64, Double, Int64, Int64)])
    func `space and time are rounded down to what is shown`(bytes: Int64, rate: Double, free: Int64, duration: Int64) {
        let space = DiskSpace(free: bytes, rate: rate)
        #expect(space.free == free && space.duration == duration)
    }

    @Test func `the rate is that of takes that run, else of the newest recordings, else a typical one`() {
        var rate = RecordingRate()
        #expect(rate.current([]) == RecordingRate.typical)
        rate.add(bytes: 1_000_000, seconds: 5)
        #expect(rate.usual == RecordingRate.typical, "too short")
        for _ in 0..<4 { rate.add(bytes: 9_000_000, seconds: 10) }
        for _ in 0..<5 { rate.add(bytes: 2_000_000, seconds: 20) }
        #expect(rate.usual == 100_000)
        #expect(rate.current([(5_000_000, 5), (0, 60)]) == 100_000, "too short, and without a byte")
        #expect(rate.current([(4_000_000, 20), (6_000_000, 20)]) == 500_000)
    }

    @Test func `the disk is looked at every ten seconds, and its text reported where it changes`() throws {
        var watch = DiskWatch()
        let begun = watch.poll([], at: 5)
        let first = try #require(begun)
        #expect(first.free > 0 && first.place.last == "Kinecast")
        #expect(watch.deadline == 10_000_000_005)
        let early = watch.poll([], at: watch.deadline - 1)
        #expect(early == nil)
        let summary = TakeSummary(
            output: "/a.mp4", size: PixelSize(width: 2, height: 2), progress: progress(bytes: 40, seconds: 20),
            reason: "")
        watch.received(.finished(summary))
        let second = watch.poll([], at: watch.deadline)
        let later = try #require(second)
        #expect(later.duration > first.duration, "two bytes a second")
    }

    private func progress(bytes: Int64, seconds: Double) -> TakeProgress {
        var progress = TakeProgress()
        (progress.bytes, progress.duration) = (bytes, .seconds(seconds))
        return progress
    }
}
