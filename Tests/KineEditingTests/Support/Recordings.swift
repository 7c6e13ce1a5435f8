// Recordings as the real programs make them, one of each kind for all tests.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import Testing

enum RecordingKind: String, CaseIterable, CustomTestStringConvertible {
    /// A constant rate of changing frames, a beep every second, and a pause.
    case pattern
    /// A private screen that flashes and beeps at irregular times, and stands still between.
    case screen
    /// Left behind by an engine that was killed, and recovered.
    case recovered
    /// An odd size, and settings of the user's own.
    case settings
    /// 4:4:4 with full range, and an odd size.
    case colour

    var testDescription: String { rawValue }
}

struct Recordings {
    private let folder: TemporaryDirectory
    static let shared = Result { try Recordings() }

    private init() throws { folder = try TemporaryDirectory() }

    func path(_ kind: RecordingKind) -> String { folder.file("\(kind.rawValue).mp4") }

    /// The recording of a kind, which is made when it is first asked for.
    static func path(_ kind: RecordingKind) throws -> String {
        let all = try shared.get()
        try made.withLock { made in
            guard made.insert(kind).inserted else { return }
            try all.make(kind)
        }
        return all.path(kind)
    }

    private static let made = Monitor<Set<RecordingKind>>([])

    private func make(_ kind: RecordingKind) throws {
        let path = path(kind)
        try TestPlace.with { place in
            let common = ["record", path, "--json", "--keyframe-interval", "1"]
            switch kind {
            case .pattern:
                let take = try place.start(common + ["--pattern", "320x240"])
                try take.recorded(1.5)
                try #require(try place.run("pause").status == 0)
                try #require(try place.run("resume").status == 0)
                try take.recorded(3.5)
                take.signal(SIGINT)
                try #require(try take.wait().status == 0)
            case .screen:
                let scene = [RunningKinecast.scene, "flash", "--random", "--seconds", "5"]
                let ended = try place.run(common + ["--virtual", "320x240", "--"] + scene)
                try #require(ended.status == 0, "\(ended)")
            case .recovered:
                let take = try place.start(common + ["--pattern", "320x240", "--fps", "25"])
                try take.recorded(3.5)
                kill(try place.registry().find(nil).pid, SIGKILL)
                try #require(try take.wait().status == ExitStatus.engineDied)
            case .colour:
                let ended = try place.run(
                    common + ["--pattern", "321x241", "--full-range", "--chroma", "444", "--duration", "3.5"])
                try #require(ended.status == 0, "\(ended)")
            case .settings:
                let ended = try place.run(
                    common + [
                        "--pattern", "321x241", "--preset", "medium", "--bitrate", "400k", "--duration", "3.5",
                        "--fps", "60",
                    ])
                try #require(ended.status == 0, "\(ended)")
            }
        }
    }
}
