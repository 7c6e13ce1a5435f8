// Frames that went from one process to another: who brought them, what it took, how late they were.
import KineMeasure
import KineMedia

/// What a way of bringing frames did in one run.
struct Transfer {
    /// The way, as the tables name it.
    let name: String
    let size: PixelSize
    let framesPerSecond: Int
    let seconds: Double
    /// One of the ways of today, not ours.
    var isOfToday = true
    /// The handler adds up all bytes.
    var readsAll = false
    /// The handler saw the sender's own memory.
    var isInPlace = false
    var sender = TransferReport()
    var receiver = TransferReport()

    var delivered: Double { Double(receiver.delays.count) / seconds }
    /// Milliseconds on a processor for each frame that arrived, at each end and together.
    var senderCost: Double { milliseconds(sender.processorNanoseconds, receiver.delays.count) }
    var receiverCost: Double { milliseconds(receiver.processorNanoseconds, receiver.frames) }
    var cost: Double { senderCost + receiverCost }
    /// Bytes written for each frame after it was captured, by both ends and the kernel.
    var movedBytes: Double {
        Double(sender.movedBytes) / Double(max(1, sender.frames))
            + Double(receiver.movedBytes) / Double(max(1, receiver.frames))
    }
    var median: Double { receiver.delayMilliseconds(0.5) }
    var late: Double { receiver.delayMilliseconds(0.99) }

    private func milliseconds(_ nanoseconds: Int64, _ frames: Int) -> Double {
        Double(nanoseconds) / 1e6 / Double(max(1, frames))
    }
}

/// The ways of today; kinecast-baseline has what each is.
enum Baseline: String, CaseIterable {
    case loopback, defaults, jpeg

    var name: String {
        switch self {
        case .loopback: "raw 960×540 over loopback TCP"
        case .defaults: "raw 960×540 in a shared defaults file"
        case .jpeg: "whole frame as JPEG over a unix socket"
        }
    }

    /// Sends frames for so long and returns both ends' accounts.
    func run(size: PixelSize, framesPerSecond: Int, seconds: Double) throws -> Transfer {
        let folder = try TemporaryDirectory(in: "/dev/shm")
        let receiver = try HelperProcess("kinecast-baseline", ["receive", rawValue, "--folder", folder.path])
        let line = try receiver.line(deadline: deadline(in: 10))
        let sender = try HelperProcess(
            "kinecast-baseline",
            [
                "send", rawValue, "--address", String(line.dropFirst("ready ".count)), "--width", "\(size.width)",
                "--height", "\(size.height)", "--fps", "\(framesPerSecond)", "--seconds", "\(seconds)",
            ])
        var result = Transfer(name: name, size: size, framesPerSecond: framesPerSecond, seconds: seconds)
        result.sender = try sender.report(deadline: deadline(in: seconds + 60))
        result.receiver = try receiver.report(deadline: deadline(in: 10))
        return result
    }
}

/// Kinecast's relay without an engine: the same frames lie in the slots, as conversion leaves them there.
enum Relay {
    /// - Parameter readsAll: the handler reads every byte.
    static func run(size: PixelSize, framesPerSecond: Int, seconds: Double, readsAll: Bool = false) throws -> Transfer {
        let folder = try TemporaryDirectory()
        let path = folder.file("report")
        let feeder = try HelperProcess(
            "kinecast-bench",
            [
                "feed", "--width", "\(size.width)", "--height", "\(size.height)", "--fps", "\(framesPerSecond)",
                "--seconds", "\(seconds)", "--report", path,
            ] + (readsAll ? ["--read-all"] : []))
        var result = Transfer(
            name: "Kinecast's relay" + (readsAll ? ", every byte read" : ""), size: size,
            framesPerSecond: framesPerSecond, seconds: seconds, isOfToday: false)
        result.sender = try feeder.report(deadline: deadline(in: seconds + 60))
        let account = try MeterAccount(path: path)
        result.receiver = account.sinceCapture(origin: Int64(result.sender.notes["origin"] ?? "") ?? 0)
        result.isInPlace = account.isInPlace
        result.readsAll = readsAll
        return result
    }
}
