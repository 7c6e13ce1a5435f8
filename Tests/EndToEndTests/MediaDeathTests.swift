// The engine killed at any instant: what was recorded is there, but for a second, and becomes an ordinary file.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

extension MediaTests {
    @Suite struct MediaDeathTests {
        /// How often the engine is killed; the full run is KINECAST_KILLS=100.
        private static let kills = ProcessEnvironment.value("KINECAST_KILLS").flatMap { Int($0) } ?? 8

        /// What a player finds in a file.
        private struct Contents: Equatable {
            /// Seconds, as ffprobe says.
            var duration: Double
            /// When each picture is shown, in seconds, and a hash of it as it is decoded.
            var pictures: [(start: Double, hash: Substring)]

            init?(_ path: String) throws {
                let length = try? Tool.output(
                    "ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path])
                guard let duration = length.flatMap({ Double($0.filter { !$0.isWhitespace }) }) else { return nil }
                self.duration = duration
                let starts = try RecordedVideo(path: path).frames.map(\.start)
                let hashes = try Tool.output(
                    "ffmpeg",
                    [
                        "-v", "error", "-nostdin", "-i", path, "-map", "0:v", "-fps_mode", "passthrough", "-f",
                        "framemd5",
                        "-",
                    ]
                ).split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: ",").last }
                #expect(starts.count == hashes.count)
                pictures = Array(zip(starts, hashes))
            }

            static func == (a: Contents, b: Contents) -> Bool {
                // ffprobe rounds to microseconds.
                abs(a.duration - b.duration) < 0.001 && a.pictures.count == b.pictures.count
                    && zip(a.pictures, b.pictures).allSatisfy { abs($0.start - $1.start) < 1e-5 && $0.hash == $1.hash }
            }
        }

        /// Records, kills client and engine in one instant after `wait` nanoseconds of the take; returns the take's length in
        /// seconds, and for how many of them the machine let nothing run at worst.
        private func killedTake(
            _ display: String, in place: Workplace, after wait: Int64
        ) throws -> (length: Double, heldUp: Double) {
            let take = try place.record(display, "a.mp4", "--overwrite")
            try take.event("started")
            let start = MonotonicClock.now()
            let engine = try place.registry().find(nil).pid
            // Notes by how much it wakes too late: the engine's writer may be as late.
            var heldUp: Int64 = 0
            while case let now = MonotonicClock.now(), now < start + wait {
                let next = min(now + 20_000_000, start + wait)
                _ = WakeSignal.poll([], until: next)
                heldUp = max(heldUp, MonotonicClock.now() - next)
            }
            // Stopped, the engine does nothing more: this is the instant of its death.
            kill(engine, SIGSTOP)
            let end = MonotonicClock.now()
            take.signal(SIGKILL)
            kill(engine, SIGKILL)
            _ = try take.wait()
            #expect(DeathTests().waitForEnd(of: engine))
            return (Double(end - start) / 1e9, Double(heldUp) / 1e9)
        }

        @Test func `whenever the engine is killed, at most a second is lost, but for what the machine held up`() throws
        {
            try Workplace.with { place in
                let size = PixelSize(width: 640, height: 480)
                let still = try PrivateScreen(size: size)
                let bars = try SceneProcess(.bars, environment: ["DISPLAY=\(still.name)"])
                defer { bars.end() }
                let moving = try PrivateScreen(size: size)
                let clock = try SceneProcess(.clock, environment: ["DISPLAY=\(moving.name)"])
                defer { clock.end() }
                var lost: [Double] = []
                for kill in 0..<Self.kills {
                    let wait = Int64.random(in: 50_000_000...4_000_000_000)
                    let (length, heldUp) = try killedTake(
                        kill % 2 == 0 ? still.name : moving.name, in: place, after: wait)
                    let path = place.path("a.mp4")
                    guard let before = try Contents(path) else {
                        // In its first second a take may have nothing on the disk yet.
                        #expect(length < 1 + heldUp, "nothing of \(length) seconds can be read")
                        lost.append(length)
                        continue
                    }
                    let kind = kill % 2 == 0 ? "still" : "moving"
                    #expect(
                        before.duration >= length - 1.0 - heldUp,
                        "a \(kind) screen, killed after \(length) s, lost \(length - before.duration) s")
                    lost.append(max(0, length - before.duration))

                    let recovered = try place.run("recover", "a.mp4")
                    #expect(recovered.status == 0, "\(recovered)")
                    let after = try Contents(path)
                    let isSame = after == before
                    #expect(isSame, "\(kind): \(before.duration) s became \(after?.duration ?? -1)")
                    try Players.accept(path)
                    let again = try place.run("recover", "a.mp4")
                    #expect(again.status == 0 && again.errors.contains("finished already"))
                    // What the dead engine left in the registry goes with the next look at it.
                    _ = try place.run("status")
                }
                let mean = lost.reduce(0, +) / Double(max(1, lost.count))
                print("\(lost.count) kills: \(lost.max() ?? 0) s lost at most, \(mean) s on average")
            }
        }
    }
}
