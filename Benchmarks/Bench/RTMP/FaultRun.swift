// One broadcast over RTMP through a network that can be disturbed, and what came of it at the other end.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineWire

/// A take of a moving scene at 4 Mbit/s, recorded here and published to a server on another machine. Used by the main thread.
final class FaultRun {
    static let bitrate = 4_000_000
    private static let size = PixelSize(width: 640, height: 360)
    private static let framesPerSecond = 30

    let network: TestNetwork
    let farEnd: FarEnd
    private let folder: TemporaryDirectory
    private let display: PrivateDisplay
    private let audio: PrivateAudio
    private let scene: SceneProcess
    private let take: EngineTake
    private var outcome = FaultOutcome()
    private var faultBegan: Int64?
    private var restored: [Int64] = []

    /// - Parameter delayMilliseconds: each way.
    init(_ title: String, delayMilliseconds: Int = 0, deaf: Bool = false, congestionControl: String?) throws {
        outcome.title = title
        let executables = try Tool.siblings()
        network = try TestNetwork(
            delayMilliseconds: delayMilliseconds, executables: executables, congestionControl: congestionControl)
        farEnd = FarEnd(network, executables: executables)
        try farEnd.start(deaf: deaf)
        folder = try TemporaryDirectory()
        display = try PrivateDisplay(size: Self.size)
        audio = try PrivateAudio()
        scene = try SceneProcess(
            .video, arguments: ["--fps", "\(Self.framesPerSecond)"], environment: display.environment)
        var configuration = TakeConfiguration(source: .screen(monitor: nil), output: folder.file("take.mp4"))
        configuration.video.framesPerSecond = Self.framesPerSecond
        configuration.video.rateControl = .averageBitrate(Self.bitrate)
        configuration.video.showsCursor = false
        configuration.audio.app = .system(required: true)
        configuration.destinations = [
            .init(service: "rtmp", setupInfo: ["url": farEnd.address("key")], label: "rtmp")
        ]
        take = try EngineTake(
            configuration,
            environment: ProcessEnvironment.secluded(in: folder) + display.environment + audio.environment,
            folder: folder, network: network)
    }

    /// Lets the broadcast run for so many seconds.
    func run(for seconds: Double) throws {
        let end = deadline(in: seconds)
        while MonotonicClock.now() < end {
            try take.run(for: min(0.2, Double(end - MonotonicClock.now()) / 1e9))
            try look()
        }
    }

    /// From now on the network, or the server, is not as it should be.
    func disturb(_ body: () throws -> Void) throws {
        if faultBegan == nil { faultBegan = MonotonicClock.now() }
        try body()
    }

    /// From now on it is again.
    func restore(_ body: () throws -> Void) throws {
        try body()
        restored.append(MonotonicClock.now())
    }

    private func look() throws {
        guard let destination = try take.status().destinations.first else { return }
        outcome.peakMemory = max(outcome.peakMemory, destination.peakMemory)
        if let waiting = destination.statistics.connection?.queueMilliseconds {
            outcome.queuePeak = max(outcome.queuePeak ?? 0, waiting)
        }
    }

    /// Ends the broadcast and reads what there is to read.
    func finish() throws -> FaultOutcome {
        try look()
        let summary = try take.stop()
        if let destination = summary.destinations.first {
            outcome.peakMemory = max(outcome.peakMemory, destination.peakMemory)
            outcome.ending = destination.ending
        }
        // The farewell's last line may still be on its way to the account.
        _ = farEnd.wait(until: deadline(in: 2)) { $0.finished.isEmpty ? nil : true }
        farEnd.kill()
        scene.end()
        audio.end()
        display.end()
        outcome.read(
            farEnd.log.withLock { $0 }, recorded: try recordedTimes(), faultBegan: faultBegan ?? .max,
            restored: restored)
        return outcome
    }

    /// The times of the recording's frames in milliseconds.
    private func recordedTimes() throws -> [Int64] {
        try Tool.output(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0",
                folder.file("take.mp4"),
            ]
        ).split(separator: "\n").compactMap { Double($0.filter { $0 != "," }) }.map { Int64(($0 * 1000).rounded()) }
    }
}

/// What came of it.
struct FaultOutcome {
    var title = ""
    /// Seconds from each moment at which the network or the server was well again until a frame arrived.
    var liveAgain: [Double] = []
    /// Connections that became live, the first one left out.
    var reconnects = 0
    /// Seconds between two frames that arrived one after the other.
    var longestFreeze = 0.0
    var lostFrames = 0
    var frames = 0
    /// Seconds beyond what was usual before the fault; nil where no frame came before it.
    var longestDelay: Double?
    /// Seconds after which the delay was again what it had been; nil: never, or it is not known what it had been.
    var settled: Double?
    var peakMemory = 0
    /// Milliseconds of samples that waited in the extension at most, of what it says once a second.
    var queuePeak: Int?
    var ending: DestinationEnding?
    /// What was wrong with the order of what came.
    var faults: [String] = []

    /// The delay counts as what it was when it is at most so much longer.
    static let tolerance: Int64 = 100_000_000

    mutating func read(_ log: ArrivalLog, recorded: [Int64], faultBegan: Int64, restored: [Int64]) {
        let usual = log.usualLateness(before: faultBegan)
        liveAgain = restored.map { instant in
            log.firstFrame(after: instant, beyond: usual).map { Double($0.arrival - instant) / 1e9 } ?? .infinity
        }
        reconnects = log.live.count - 1
        longestFreeze = log.longestFreeze()
        let first = log.frames.first?.time ?? .max
        let times = recorded.filter { $0 >= first }
        frames = times.count
        lostFrames = log.missing(of: times)
        if let usual {
            longestDelay = log.longestDelay(beyond: usual, from: faultBegan)
            settled = restored.last.flatMap {
                log.settled(after: $0, beyond: usual, tolerance: Self.tolerance)
            }
        }
        faults = log.faults()
    }
}
