// How many frames a file has, and when they are shown: rates that hold on a machine with nothing else to do.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .endurance)) struct RateTests {
    @Test(arguments: TestDisplay.allCases)
    func `a moving screen has nearly as many frames as were asked for`(display: TestDisplay) throws {
        try TestPlace.with { place in
            let recording = try SceneRecording(
                of: .motion, ["--fps", "60"], on: display, in: place, "--fps", "10", "--duration", "2")
            Margin.atLeast(
                16, Double(recording.video.frames.count), "frames",
                "frames in two seconds at 10 a second, \(display.testDescription)")
        }
    }

    /// Records numbers that are drawn 30 times a second; returns how many are neither in the file nor accounted for.
    private func numbersLost(on display: TestDisplay, in place: TestPlace) throws -> Int {
        let recording = try SceneRecording(
            of: .motion, ["--fps", "30"], on: display, in: place, "--overwrite", "--duration", "5")
        var numbers: [Int] = []
        try recording.video.decode { _, luma in
            if let number = Barcode.read(luma) { numbers.append(number) }
        }
        #expect(numbers == numbers.sorted())
        let first = try #require(numbers.first)
        let last = try #require(numbers.last)
        #expect(last - first > 60)
        let missing = Set(first...last).subtracting(numbers)
        // A number that was followed by the next in less than a frame's pause was hidden by its own client, which the
        // machine had kept waiting; no recorder at that rate could have it.
        let instants = Dictionary(uniqueKeysWithValues: recording.shown.map { ($0.frame, $0.instant) })
        let hidden = missing.filter { number in
            guard let here = instants[number], let next = instants[number + 1] else { return false }
            return next - here < 25_000_000
        }
        return max(0, missing.count - hidden.count - (recording.summary.framesDropped ?? 0))
    }

    @Test(arguments: TestDisplay.allCases)
    func `every number that is drawn at 30 a second is in the file, but for what the machine held up`(
        display: TestDisplay
    ) throws {
        try TestPlace.with { place in
            Margin.atMost(
                0, Double(try numbersLost(on: display, in: place)), "frames",
                "lost and not told of, \(display.testDescription)")
        }
    }

    @Test(arguments: TestDisplay.allCases)
    func `a still screen costs few frames and nearly no wake-ups, and the file is as long as the take`(
        display: TestDisplay
    ) throws {
        try TestPlace.with { place in
            let server = try display.start(size: PixelSize(width: 1280, height: 720))
            let scene = try SceneProcess(.bars, environment: server.environment)
            defer { scene.end() }
            // Without --json nobody wants progress, so nothing is sent once a second.
            let take = try place.start(["record", "a.mp4", "--audio", "none"], server.environment)
            let began = MonotonicClock.now()
            let registry = try place.registry()
            // Nothing tells of a take's beginning but --json, which would have it speak every second.
            while registry.list().running.isEmpty, MonotonicClock.now() < began + RunningKinecast.timeout {
                _ = WakeSignal.poll([], until: MonotonicClock.now() + 20_000_000)
            }
            let engine = try registry.find(nil).pid
            // The beginning is not idle.
            _ = WakeSignal.poll([], until: began + 2_500_000_000)
            let processes = [engine, take.process.pid]
            let before = Wakes.count(of: processes)
            let start = MonotonicClock.now()
            _ = WakeSignal.poll([], until: start + 10_000_000_000)
            let seconds = Double(MonotonicClock.now() - start) / 1e9
            Margin.atMost(
                2, Double(Wakes.count(of: processes) - before) / seconds, "1/s", "wake-ups, \(display.testDescription)")
            take.signal(SIGINT)
            let asked = Double(MonotonicClock.now() - began) / 1e9
            try #require(try take.wait().status == 0)
            let video = try RecordedVideo(path: place.path("a.mp4"))
            Margin.atMost(
                8, Double(video.frames.count), "frames", "of a still screen, \(display.testDescription)")
            #expect(video.duration > seconds + 1 && video.duration < asked + 0.1)
            // From the command's start, which the take's beginning follows.
            Margin.atMost(
                1, asked - video.duration, "s", "that the file is shorter, \(display.testDescription)")
            withExtendedLifetime(server) {}
        }
    }
}
