// Takes of a real engine with a real extension that gets uncompressed frames.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage

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
    let source: RawSource
    let size: PixelSize
    let framesPerSecond: Int
    let seconds: Double
    var account: TransferReport
    /// The delays counted from the instants at which the X server had drawn, or the pattern's frame was due.
    var sinceDrawing: TransferReport
    var isInPlace: Bool
    var placement: String
    /// Frames that the extension was too slow for.
    var skipped: Int

    var arrived: Int { account.frames }
    /// Frames whose time is not that of their capture.
    var moved: Int { Int(account.notes["moved"] ?? "") ?? 0 }
    /// Milliseconds on a processor in the reader for each frame.
    var readerCost: Double { Double(account.processorNanoseconds) / 1e6 / Double(max(1, account.frames)) }

    static func table(_ takes: [RawTake]) -> String {
        Tables.table(
            """
            screen | frame | >frames/s | >arrived/s | >replaced by newer | >time moved | >from capture: p50 ms | >p99 ms | \
            >from the screen: p50 ms | >p99 ms | >CPU ms/frame, extension | >peak MiB, extension
            """,
            takes.map { take in
                let delays = [take.account, take.sinceDrawing].flatMap { report in
                    [0.5, 0.99].map { fixed(report.delayMilliseconds($0), 2) }
                }
                return [
                    take.source.name, "\(take.size.width)×\(take.size.height)", "\(take.framesPerSecond)",
                    fixed(Double(take.arrived) / take.seconds, 1), "\(take.skipped)", "\(take.moved)",
                ] + delays + [fixed(take.readerCost, 3), mebibytes(take.account.highWaterBytes)]
            })
    }
}

/// Runs takes with kinecast-meter. Used by the main thread: the X server dies with the thread that started it.
struct RawTaker {
    let seconds: Double

    /// - Parameter readsAll: the handler reads every byte, as one does that encodes the frame.
    func take(
        _ source: RawSource, size: PixelSize, framesPerSecond: Int = 60, readsAll: Bool = false
    ) throws -> RawTake {
        let folder = try TemporaryDirectory()
        let bundle = try MeterBundle()
        let setup = try Setup(source, size: size, framesPerSecond: framesPerSecond)
        defer { setup.end() }
        var configuration = setup.configuration(output: nil, framesPerSecond: framesPerSecond)
        configuration.destinations = [bundle.destination(report: "report", readsAll: readsAll)]
        let take = try EngineTake(
            configuration, environment: setup.environment(folder) + bundle.environment, folder: folder)
        let origin = try take.origin()
        try take.run(for: seconds)
        let log = try setup.scene?.log()
        let summary = try take.stop()
        let account = try MeterAccount(path: bundle.reportPath("report"))
        return RawTake(
            source: source, size: size, framesPerSecond: framesPerSecond, seconds: seconds,
            account: account.sinceCapture(origin: origin, framesPerSecond: framesPerSecond),
            sinceDrawing: log.map { account.sinceDrawing($0) }
                ?? account.sinceDue(origin: origin, framesPerSecond: framesPerSecond),
            isInPlace: account.isInPlace, placement: account.placement,
            skipped: summary.destinations.first?.framesSkipped ?? 0)
    }

    /// The CPU time of an engine's threads for each frame of a recorded take, with or without an extension. The difference
    /// is the cost of feeding and watching it.
    func engineCost(size: PixelSize, framesPerSecond: Int = 60, withExtension: Bool) throws -> EngineCost {
        let folder = try TemporaryDirectory(in: "/dev/shm")
        let bundle = try MeterBundle()
        let setup = try Setup(.pattern, size: size, framesPerSecond: framesPerSecond)
        var configuration = setup.configuration(output: folder.file("take.mp4"), framesPerSecond: framesPerSecond)
        if withExtension { configuration.destinations = [bundle.destination(report: "report", readsAll: false)] }
        let take = try EngineTake(
            configuration, environment: setup.environment(folder) + bundle.environment, folder: folder)
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

    static func table(_ rounds: [(alone: EngineCost, served: EngineCost)]) -> String {
        Tables.table(
            """
            >round | >CPU ms/frame of capture, without the extension | >with it | >of control and supervision, without | \
            >with it | >increase
            """,
            rounds.enumerated().map { round, cost in
                let cells = [
                    cost.alone.capture, cost.served.capture, cost.alone.others, cost.served.others,
                    cost.served.sum - cost.alone.sum,
                ]
                return ["\(round + 1)"] + cells.map { fixed($0, 3) }
            })
    }
}

/// What a take looks at, as long as it lasts.
struct Setup {
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

/// kinecast-meter as a service that an engine finds, in a data directory of its own: what the engine needs in its environment and in its configuration to run the meter.
struct MeterBundle {
    static let service = "org.kinecast.meter"
    private let folder: TemporaryDirectory
    private let group: String?

    /// The meter gets every frame of a take as it is.
    ///
    /// - Parameter group: the group that it passes its frames on to; nil: it keeps them for itself.
    init(group: String? = nil) throws {
        self.group = group
        folder = try TemporaryDirectory()
        var path = folder.path
        for name in ["kinecast", "services", "meter.kinext"] {
            path += "/" + name
            guard mkdir(path, 0o700) == 0 else {
                throw Tool.Error.system(doing: "Making \(path)", Errno(rawValue: errno))
            }
        }
        // The first form of manifests knows no groups.
        let form = group.map { "\"kinecast\": 2, \"groups\": [\"\($0)\"]" } ?? "\"kinecast\": 1"
        let manifest = """
            {\(form), "id": "\(MeterBundle.service)", "name": "Meter", "version": "1", "executable": "meter",
             "video": {"raw": {"pixelFormat": "i420"}},
             "setup": [{"key": "report", "title": "Report", "required": true}, {"key": "read", "title": "Read"},
                       {"key": "group", "title": "Group"}],
             "restarts": 0}
            """
        try Tool.write(manifest.utf8, to: path + "/manifest.json")
        let program = try Tool.contents(of: Tool.sibling(group == nil ? "kinecast-meter" : "kinecast-passmeter"))
        try Tool.write(program, to: path + "/meter", permissions: .ownerReadWriteExecute)
    }

    var environment: [String] { ["XDG_DATA_HOME=\(folder.path)"] }

    /// The service's own directory is the only one that it may write to.
    func reportPath(_ name: String) -> String { folder.file("kinecast/data/\(MeterBundle.service)/\(name)") }

    /// The meter as a destination; its account goes to `reportPath(report)`.
    func destination(report: String, readsAll: Bool) -> TakeConfiguration.Destination {
        var setup = ["report": reportPath(report), "read": readsAll ? "all" : "none"]
        setup["group"] = group
        return TakeConfiguration.Destination(service: MeterBundle.service, setupInfo: setup, label: "meter")
    }
}
