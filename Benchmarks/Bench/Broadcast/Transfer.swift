// Frames that went from one process to another: who brought them, what it took, how late they were.
import KineMeasure
import KineMedia

/// What a way of bringing frames did in one run.
struct Transfer {
    /// The way, as the tables name it.
    let name: String
    let size: PixelSize
    var framesPerSecond = 60
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
    var late: Double { receiver.delayMilliseconds(0.99) }

    private func milliseconds(_ nanoseconds: Int64, _ frames: Int) -> Double {
        Double(nanoseconds) / 1e6 / Double(max(1, frames))
    }

    /// All ways in turn; of each the run with the middle cost.
    static func inTurn<Run>(
        _ rounds: Int, _ ways: [() throws -> Run], _ attempt: Attempts, cost: (Run) -> Double
    ) -> [Run] {
        var runs: [[Run]] = ways.map { _ in [] }
        for round in 0..<rounds {
            for (index, way) in ways.enumerated() {
                if let run = attempt("way \(index + 1) of \(ways.count), round \(round + 1)", way) {
                    runs[index].append(run)
                }
            }
        }
        return runs.filter { !$0.isEmpty }.map { $0.sorted { cost($0) < cost($1) }[($0.count - 1) / 2] }
    }

    static func table(_ transfers: [Transfer], cheapest: Transfer?) -> String {
        Tables.table(
            """
            way | frame | >frames/s sent | >arrived | >delay p50 ms | >p99 ms | >CPU ms/frame, sender | >receiver | >both | \
            >× the cheapest of today | >bytes written/frame | >peak MiB, sender | >receiver
            """,
            transfers.map { transfer in
                [
                    transfer.name, "\(transfer.size.width)×\(transfer.size.height)", "\(transfer.framesPerSecond)",
                ] + transfer.delayCells + transfer.costCells + [
                    fixed(transfer.cost / (cheapest?.cost ?? .nan), 3), fixed(transfer.movedBytes, 0),
                ] + transfer.memoryCells
            })
    }

    /// How many arrived, and their delays at p50 and p99.
    var delayCells: [String] {
        [fixed(delivered, 1), fixed(receiver.delayMilliseconds(0.5), 2), fixed(late, 2)]
    }
    var costCells: [String] { [senderCost, receiverCost, cost].map { fixed($0, 3) } }
    var memoryCells: [String] { [sender, receiver].map { mebibytes($0.highWaterBytes) } }
}

/// The ways of today; kinecast-baseline has what each is.
enum Baseline: String, CaseIterable {
    case loopback, jpeg

    var name: String {
        switch self {
        case .loopback: "raw 960×540 over loopback TCP"
        case .jpeg: "whole frame as JPEG over a unix socket"
        }
    }

    /// Sends frames of 1920×1080 for so long and returns both ends' accounts.
    func run(seconds: Double) throws -> Transfer {
        let folder = try TemporaryDirectory(in: "/dev/shm")
        let receiver = try HeldProcess("kinecast-baseline", ["receive", rawValue, "--folder", folder.path])
        let line = try receiver.line(deadline: deadline(in: 10))
        let sender = try HeldProcess(
            "kinecast-baseline",
            ["send", rawValue, "--address", String(line.dropFirst("ready ".count)), "--seconds", "\(seconds)"])
        var result = Transfer(name: name, size: PixelSize(width: 1920, height: 1080), seconds: seconds)
        result.sender = try sender.report(deadline: deadline(in: seconds + 60))
        result.receiver = try receiver.report(deadline: deadline(in: 10))
        return result
    }
}

/// Kinecast's relay without an engine: the same frames lie in the slots, as conversion leaves them there.
enum Relay {
    /// - Parameter readsAll: the handler reads every byte.
    static func run(size: PixelSize, seconds: Double, readsAll: Bool = false) throws -> Transfer {
        let folder = try TemporaryDirectory()
        let path = folder.file("report")
        let feeder = try HeldProcess(
            "kinecast-bench",
            [
                "feed", "--width", "\(size.width)", "--height", "\(size.height)", "--seconds", "\(seconds)", "--report",
                path,
            ] + (readsAll ? ["--read-all"] : []))
        var result = Transfer(
            name: "Kinecast's relay" + (readsAll ? ", every byte read" : ""), size: size, seconds: seconds,
            isOfToday: false)
        result.sender = try feeder.report(deadline: deadline(in: seconds + 60))
        let account = try MeterAccount(path: path)
        result.receiver = account.sinceCapture(origin: Int64(result.sender.notes["origin"] ?? "") ?? 0)
        result.isInPlace = account.isInPlace
        result.readsAll = readsAll
        return result
    }
}
