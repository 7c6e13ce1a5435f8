// Takes of a real engine with a real extension that gets uncompressed frames.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

/// What is on the screen of a raw take.
enum RawSource: Hashable {
    /// The engine's own test pattern: needs no screen, and is taken when it is due.
    case pattern
    /// A scene on a private X screen.
    case scene(SceneKind)

    var name: String {
        switch self {
        case .pattern: "pattern"
        case .scene(let kind): kind.rawValue
        }
    }
}

/// One take and what its reader saw.
struct RawTake {
    enum Reader: String {
        case `extension`
        /// By `ScreenRecorder.startCapture`.
        case app
    }

    let source: RawSource
    let reader: Reader
    let size: PixelSize
    let framesPerSecond: Int
    let seconds: Double
    var account: TransferReport
    /// The delays counted from the instants at which the X server had drawn, or the pattern's frame was due.
    var sinceDrawing: TransferReport
    var isInPlace: Bool
    var placement: String
    /// Frames that the extension was too slow for; nil for an app: the engine does not count its losses.
    var skipped: Int?
    /// Frames that the engine took.
    var taken: Int

    var arrived: Int { account.frames }
    /// Frames whose time is not that of their capture.
    var moved: Int { Int(account.notes["moved"] ?? "") ?? 0 }
    /// Milliseconds on a processor in the reader for each frame.
    var readerCost: Double { Double(account.processorNanoseconds) / 1e6 / Double(max(1, account.frames)) }
}

/// Runs takes with kinecast-meter. Used by the main thread: the X server dies with the thread that started it.
final class RawTaker {
    let seconds: Double

    init(seconds: Double) { self.seconds = seconds }

    /// - Parameter readsAll: the handler reads every byte, as one does that encodes the frame.
    func take(
        _ source: RawSource, size: PixelSize, framesPerSecond: Int, readsAll: Bool = false
    ) throws -> RawTake {
        let folder = try TemporaryDirectory()
        let bundle = try MeterBundle()
        let stage = try Stage(source, size: size, framesPerSecond: framesPerSecond)
        defer { stage.end() }
        var configuration = stage.configuration(output: nil, framesPerSecond: framesPerSecond)
        configuration.destinations = [bundle.destination(report: "report", readsAll: readsAll)]
        let take = try EngineTake(
            configuration, environment: stage.environment(folder) + bundle.environment, folder: folder)
        let origin = try TakeOrigin.earliest { try take.status() }
        try take.run(for: seconds)
        let log = try stage.scene?.log()
        let summary = try take.stop()
        let account = try MeterAccount(path: bundle.reportPath("report"))
        return RawTake(
            source: source, reader: .extension, size: size, framesPerSecond: framesPerSecond, seconds: seconds,
            account: account.sinceCapture(origin: origin, framesPerSecond: framesPerSecond),
            sinceDrawing: log.map { account.sinceDrawing($0) }
                ?? account.sinceDue(origin: origin, framesPerSecond: framesPerSecond),
            isInPlace: account.isInPlace, placement: account.placement,
            skipped: summary.destinations.first?.framesSkipped, taken: summary.progress.framesDrawn)
    }

    /// The CPU time of an engine's threads for each frame of a recorded take, with or without an extension. The difference
    /// is the cost of feeding and watching it.
    func engineCost(size: PixelSize, framesPerSecond: Int, fed: Bool) throws -> EngineCost {
        let folder = try TemporaryDirectory(in: "/dev/shm")
        let bundle = try MeterBundle()
        let stage = try Stage(.pattern, size: size, framesPerSecond: framesPerSecond)
        var configuration = stage.configuration(output: folder.file("take.mp4"), framesPerSecond: framesPerSecond)
        if fed { configuration.destinations = [bundle.destination(report: "report", readsAll: false)] }
        let take = try EngineTake(
            configuration, environment: stage.environment(folder) + bundle.environment, folder: folder)
        try take.run(for: 1)
        let before = try look(at: take)
        try take.run(for: seconds)
        let after = try look(at: take)
        try take.stop()
        let frames = Double(max(1, after.frames - before.frames))
        return EngineCost(
            capture: (after.cost.capture - before.cost.capture) / frames,
            others: (after.cost.others - before.cost.others) / frames)
    }

    private func look(at take: EngineTake) throws -> (cost: EngineCost, frames: Int) {
        let frames = try take.status().progress.framesDrawn
        var cost = EngineCost()
        for thread in ProcFiles.processorNanosecondsByThread(of: take.process.pid) {
            switch thread.name {
            case "capture": cost.capture += Double(thread.nanoseconds) / 1e6
            case "encode", "file": break
            default: cost.others += Double(thread.nanoseconds) / 1e6
            }
        }
        return (cost, frames)
    }
}

/// Milliseconds on a processor of an engine's threads, without the two whose work an extension does not change: the encoder's
/// and the file's.
struct EngineCost {
    /// Reads, converts, and offers frames.
    var capture = 0.0
    /// Control, and the supervision of extensions.
    var others = 0.0

    var sum: Double { capture + others }
}

/// What a take looks at, as long as it lasts.
struct Stage {
    private let source: RawSource
    private let size: PixelSize
    private let display: PrivateDisplay?
    let scene: SceneProcess?

    init(_ source: RawSource, size: PixelSize, framesPerSecond: Int) throws {
        self.source = source
        self.size = size
        guard case .scene(let kind) = source else {
            display = nil
            scene = nil
            return
        }
        let display = try PrivateDisplay(size: size)
        self.display = display
        do {
            scene = try SceneProcess(
                kind, arguments: ["--fps", "\(framesPerSecond)"], environment: display.environment)
        } catch {
            display.end()
            throw error
        }
    }

    func end() {
        scene?.end()
        display?.end()
    }

    /// A take of it, without audio.
    func configuration(output: String?, framesPerSecond: Int) -> TakeConfiguration {
        var configuration = TakeConfiguration(
            source: scene == nil ? .pattern(size) : .screen(monitor: nil), output: output)
        configuration.video.framesPerSecond = framesPerSecond
        configuration.video.showsCursor = false
        configuration.audio.app = .none
        return configuration
    }

    /// What an engine gets.
    func environment(_ folder: TemporaryDirectory) -> [String] {
        ProcessEnvironment.secluded(in: folder) + (display?.environment ?? [])
    }
}
