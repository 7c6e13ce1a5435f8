// kinecast-baseline: one end of a way in which frames are brought to another process today. The bench runs two of them.
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

@main
struct BaselineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kinecast-baseline",
        abstract: "Sends frames to another process as it is done today, or receives them.",
        discussion: "Ways: \(FrameWay.allCases.map(\.rawValue).joined(separator: ", ")).",
        subcommands: [ReceiveCommand.self, SendCommand.self])
}

/// The app's end: prints `ready ADDRESS`, and its account when the sender is gone.
struct ReceiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "receive", abstract: "Receives frames until they end.")

    @Argument(help: "The way.")
    var way: FrameWay

    @Option(help: "A folder for sockets and files.")
    var folder: String

    func run() throws {
        let receiver = try way.makeReceiver(folder: folder)
        print("ready \(receiver.address)")
        fflush(nil)
        var report = TransferReport()
        report.delays.reserveCapacity(100_000)
        var begin: (processor: Int64, moved: Int) = (0, 0)
        var last: Int64 = 0
        // What the first frame costs is mostly starting.
        while try receiver.receive({ _, stamp in
            let now = MonotonicClock.now()
            guard stamp != last else { return }
            last = stamp
            if report.delays.isEmpty { begin = (processorNanoseconds(), receiver.movedBytes) }
            report.delays.append(now - stamp)
        }) {}
        report.frames = max(0, report.delays.count - 1)
        report.processorNanoseconds = processorNanoseconds() - begin.processor
        report.movedBytes = receiver.movedBytes - begin.moved
        report.highWaterBytes = ProcFiles.highWaterBytes(of: getpid())
        print(report.text, terminator: "")
    }
}

/// The extension's end.
struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "send", abstract: "Sends frames at an even rhythm.")

    @Argument(help: "The way.")
    var way: FrameWay

    @Option(help: "What the receiver said.")
    var address: String

    @Option(help: "How long.")
    var seconds = 10.0

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let size = PixelSize(width: 1920, height: 1080)
        let frames = PreparedFrames(size: size, count: 30)
        let sender = try way.makeSender(address: address, size: size)
        var report = TransferReport()
        let rhythm = try FrameRhythm.run(framesPerSecond: 60, seconds: seconds) { frame in
            try sender.send(frames[frame], stamp: MonotonicClock.now())
            report.frames += 1
        }
        report.processorNanoseconds = rhythm.processorNanoseconds
        report.movedBytes = sender.movedBytes
        report.highWaterBytes = ProcFiles.highWaterBytes(of: getpid())
        report.notes["skipped"] = "\(rhythm.skipped)"
        print(report.text, terminator: "")
    }
}
