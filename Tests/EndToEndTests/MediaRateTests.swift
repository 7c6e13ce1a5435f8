// How many pictures a file has, and when they are shown.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

extension MediaTests {
    @Suite struct MediaRateTests {
        private static let size = PixelSize(width: 640, height: 480)

        private func recording(
            of scene: SceneKind, _ sceneArguments: [String] = [], in place: Workplace, _ arguments: String...
        ) throws -> (video: RecordedVideo, summary: RunningKinecast.Event, scene: [SceneProcess.Shown]) {
            let screen = try PrivateScreen(size: Self.size)
            let client = try SceneProcess(scene, arguments: sceneArguments, environment: ["DISPLAY=\(screen.name)"])
            defer { client.end() }
            let take = try RunningKinecast(
                arguments: ["record", "a.mp4", "--audio", "none", "--json"] + arguments,
                environment: place.environment + ["DISPLAY=\(screen.name)"], directory: place.directory)
            let ended = try take.wait()
            try #require(ended.status == 0, "\(ended)")
            return (
                try RecordedVideo(path: place.path("a.mp4")), try #require(ended.events.last), try client.log()
            )
        }

        @Test(arguments: [SceneKind.bars, .clock])
        func `a constant rate has frames of one length, on a still and on a moving screen`(scene: SceneKind) throws {
            try Workplace.with { place in
                let (video, summary, _) = try recording(of: scene, in: place, "--cfr", "--fps", "20", "--for", "2")
                let isEven = video.frames.enumerated().allSatisfy { abs($1.start - Double($0) / 20) < 2e-5 }
                #expect(isEven)
                // The last lasts to the end of the take, which a busy machine may reach before the next is taken.
                #expect(video.frames.dropLast().allSatisfy { abs($0.duration - 0.05) < 2e-5 })
                #expect(try #require(video.frames.last).duration > 0.049)
                #expect(video.frames.count <= 41 && video.duration > 1.95)
                #expect(summary.framesDrawn == video.frames.count)
            }
        }

        @Test func `no more frames a second than were asked for`() throws {
            try Workplace.with { place in
                let (video, _, _) = try recording(
                    of: .motion, ["--fps", "60"], in: place, "--fps", "10", "--for", "2")
                #expect((16...23).contains(video.frames.count))
                for (earlier, later) in zip(video.frames, video.frames.dropFirst(10)) {
                    // An interval and a half may be made up for.
                    #expect(later.start - earlier.start > 0.8)
                }
            }
        }

        /// Records numbers that are drawn 30 times a second; returns those that are neither in the file nor accounted for.
        private func numbersLost(in place: Workplace) throws -> (count: Int, drawn: Int) {
            let (_, summary, shown) = try recording(
                of: .motion, ["--fps", "30"], in: place, "--overwrite", "--for", "5")
            var numbers: [Int] = []
            try RecordedVideo(path: place.path("a.mp4")).decode { _, luma in
                if let number = Barcode.read(luma) { numbers.append(number) }
            }
            #expect(numbers == numbers.sorted())
            let first = try #require(numbers.first)
            let last = try #require(numbers.last)
            #expect(last - first > 60)
            let missing = Set(first...last).subtracting(numbers)
            // A number that was followed by the next in less than a frame's pause was hidden by its own client, which the
            // machine had kept waiting; no recorder at that rate could have it.
            let instants = Dictionary(uniqueKeysWithValues: shown.map { ($0.frame, $0.instant) })
            let hidden = missing.filter { number in
                guard let here = instants[number], let next = instants[number + 1] else { return false }
                return next - here < 25_000_000
            }
            return (max(0, missing.count - hidden.count - (summary.framesDropped ?? 0)), last - first + 1)
        }

        @Test func `every number that is drawn at 30 a second is in the file, but for what the machine held up`() throws
        {
            try Workplace.with { place in
                // A recorder that is itself kept waiting for longer than a frame cannot know what it missed: such a take
                // says nothing, and another is made.
                var takes: [(count: Int, drawn: Int)] = []
                while takes.count < 4, takes.last?.count != 0 { takes.append(try numbersLost(in: place)) }
                #expect(takes.last?.count == 0, "lost in each take: \(takes)")
            }
        }

        @Test func `a still screen costs few frames and nearly no wake-ups, and the file is as long as the take`()
            throws
        {
            try Workplace.with { place in
                let screen = try PrivateScreen(size: PixelSize(width: 1280, height: 720))
                let scene = try SceneProcess(.bars, environment: ["DISPLAY=\(screen.name)"])
                defer { scene.end() }
                // Without --json nobody wants progress, so nothing is sent once a second.
                let take = try RunningKinecast(
                    arguments: ["record", "a.mp4", "--audio", "none"],
                    environment: place.environment + ["DISPLAY=\(screen.name)"], directory: place.directory)
                let began = MonotonicClock.now()
                let registry = try place.registry()
                // Nothing tells of a take's beginning but --json, which would have it speak every second.
                while registry.list().running.isEmpty, MonotonicClock.now() < began + RunningKinecast.patience {
                    _ = WakeSignal.poll([], until: MonotonicClock.now() + 20_000_000)
                }
                let engine = try registry.find(nil).pid
                // The beginning is not idle.
                _ = WakeSignal.poll([], until: began + 2_500_000_000)
                // How often a thread of both processes gave the processor up and was woken again. That another program took it
                // away, as the tests beside this one do, is no wake-up.
                func switches() -> Int {
                    var count = 0
                    for process in [engine, take.process.pid] {
                        for thread in ProcFiles.switches(of: process).keys {
                            let lines = ProcFiles.read("/proc/\(process)/task/\(thread)/status").split(separator: "\n")
                            let line = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }
                            count += line.flatMap { Int($0.drop { !$0.isNumber }) } ?? 0
                        }
                    }
                    return count
                }
                var rates: [Double] = []
                let start = MonotonicClock.now()
                // A thread that has to wait for another, or for the disk, wakes once more; on a busy machine many do.
                while rates.count < 4, rates.last.map({ $0 > 2 }) ?? true {
                    let before = switches()
                    let from = MonotonicClock.now()
                    _ = WakeSignal.poll([], until: from + 10_000_000_000)
                    rates.append(Double(switches() - before) * 1e9 / Double(MonotonicClock.now() - from))
                }
                print("\(rates) wake-ups a second")
                #expect(try #require(rates.last) <= 2, "in each ten seconds: \(rates)")
                let seconds = Double(MonotonicClock.now() - start) / 1e9
                take.signal(SIGINT)
                try #require(try take.wait().status == 0)
                let video = try RecordedVideo(path: place.path("a.mp4"))
                #expect(video.frames.count <= 8)
                #expect(video.duration > seconds + 1)
            }
        }
    }
}
