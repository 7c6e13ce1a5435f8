// The engine's end of one extension without an engine: prepared frames, so that what the relay itself costs can be seen. Run
// by `broadcast` as a process of its own.
import ArgumentParser
import CLinux
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineRings
import KineServices
import KineWire
import SystemPackage

struct FeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed", abstract: "Sends prepared frames to kinecast-meter.", shouldDisplay: false)

    @Option(help: "The width of the frames.")
    var width = 1920

    @Option(help: "The height of the frames.")
    var height = 1080

    private static let fps = 60

    @Option(help: "How long.")
    var seconds = 10.0

    @Option(help: "Where the extension writes its account.")
    var report: String

    @Flag(help: "The extension reads every byte of every frame.")
    var readAll = false

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let size = PixelSize(width: width, height: height)
        let layout = FrameSlotLayout(pixelFormat: .i420, visibleSize: size, slotCount: 4)
        let memory = try FrameMemory(layout: layout)
        FeedCommand.fill(memory, with: PreparedFrames(size: size, count: layout.slotCount))
        let sender = try StreamSender(video: false, frames: layout, sampleRingBytes: 1 << 16)
        let (connection, child) = try SupervisorConnection.starting("kinecast-meter")
        defer { _ = child.end(deadline: MonotonicClock.now() + 1_000_000_000) }

        let origin = MonotonicClock.now()
        let start = ExtensionStart(
            service: "meter",
            setupInfo: ["report": report, "read": readAll ? "all" : "none"],
            stream: StreamDescription(
                framesPerSecond: Self.fps,
                video: nil, frames: layout, audio: [], sampleRingBytes: sender.sampleRingBytes),
            memoryLimit: ServiceManifest.memoryLimit)
        try connection.send(.start(start), descriptors: sender.descriptors + [memory.descriptor])
        try connection.wait(for: .started, of: "kinecast-meter")

        var account = TransferReport()
        var free: Set<Int> = Set(0..<layout.slotCount)
        let damage = DamageRegion.full(size: layout.size)
        let interval = MediaTime(nanoseconds: 1_000_000_000 / Int64(Self.fps))
        let rhythm = try FrameRhythm.run(framesPerSecond: Self.fps, seconds: seconds) { _ in
            if free.isEmpty { free.formUnion(try sender.reclaim()) }
            guard let slot = free.popFirst() else { return }
            let time = MediaTime(nanoseconds: MonotonicClock.now() - origin)
            free.formUnion(
                try sender.offer(slot: slot, at: time, duration: interval, damage: damage, orientation: .up))
            account.frames += 1
        }
        account.processorNanoseconds = rhythm.processorNanoseconds
        account.movedBytes = sender.counts.bytesCopied
        account.highWaterBytes = ProcFiles.highWaterBytes(of: getpid())
        account.notes["skipped"] = "\(rhythm.skipped)"
        account.notes["origin"] = "\(origin)"
        try connection.send(.finish(after: sender.position, seconds: 5))
        try connection.wait(for: .finished, of: "kinecast-meter")
        print(account.text, terminator: "")
    }

    /// The frames lie in the slots already, as an engine's conversion leaves them there.
    private static func fill(_ memory: FrameMemory, with frames: PreparedFrames) {
        let layout = FrameLayout(pixelFormat: .i420, size: memory.layout.size)
        for slot in 0..<frames.count {
            let (source, target) = (frames[slot], layout.i420(at: memory.slot(slot)))
            for y in 0..<source.size.height {
                (target.y + y * target.lumaStride).update(
                    from: source.y + y * source.lumaStride, count: source.size.width)
            }
            for y in 0..<source.size.height / 2 {
                let (from, to) = (y * source.chromaStride, y * target.chromaStride)
                (target.u + to).update(from: source.u + from, count: source.size.width / 2)
                (target.v + to).update(from: source.v + from, count: source.size.width / 2)
            }
        }
    }
}

extension ControlConnection where Received == ExtensionReport, Sent == ExtensionRequest {
    /// Starts an extension, an executable of that name beside this one. It dies with the thread that started it.
    static func starting(_ name: String, _ arguments: [String] = []) throws -> (
        connection: ControlConnection, child: ChildProcess
    ) {
        let (connection, theirs) = try pair()
        defer { try? theirs.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, .standardError, theirs]
        options.parentDeathSignal = SIGKILL
        let child = try ChildProcess(
            executable: try Tool.sibling(name), arguments: arguments, environment: ["PATH=/usr/bin:/bin"],
            options: options)
        return (connection, child)
    }

    /// Blocks until the extension, an executable of that name, says `wanted`; throws where it fails or takes too long.
    func wait(for wanted: ExtensionReport, of name: String) throws {
        let end = deadline(in: 20)
        var complaint = "It did not answer \(wanted) in 20 seconds."
        search: while MonotonicClock.now() < end {
            for message in try receive(until: end) {
                if message == wanted { return }
                if case .failed(let reason, _) = message {
                    complaint = reason
                    break search
                }
            }
        }
        throw Tool.Error.failed(name: name, ending: .exited(status: 1), complaint: complaint)
    }
}
