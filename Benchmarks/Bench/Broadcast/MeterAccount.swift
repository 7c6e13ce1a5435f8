// What kinecast-meter wrote: when each frame reached its handler. Turned into delays by the bench, which knows when it was taken.
import KineMeasure

struct MeterAccount {
    struct Arrival {
        /// Nanoseconds on the take's clock.
        let presentationTime: Int64
        /// CLOCK_MONOTONIC, nanoseconds, when the handler was entered.
        let instant: Int64
        /// What the frame's barcode said; nil where it had none.
        let frame: Int?
    }

    private(set) var report: TransferReport
    let arrivals: [Arrival]
    /// The permissions and the file of the mapping that holds the frame in the extension.
    var placement: String { report.notes["placement"] ?? "nowhere" }
    /// The frames lay in memory that the engine had drawn in, where the extension can only read.
    var isInPlace: Bool { placement.hasPrefix("r--s") && placement.contains("memfd:kinecast-frames") }

    init(path: String) throws {
        guard let report = TransferReport(ProcFiles.read(path)) else {
            throw Tool.Error.failed(
                name: "kinecast-meter", ending: .exited(status: 0), complaint: "It left no account of what it had seen."
            )
        }
        self.init(report)
    }

    init(_ report: TransferReport) {
        self.report = report
        let numbers = (report.notes["arrivals"] ?? "").split(separator: " ").compactMap { Int64($0) }
        var arrivals: [Arrival] = []
        for index in stride(from: 0, to: numbers.count - 2, by: 3) {
            let frame = numbers[index + 2]
            arrivals.append(
                Arrival(
                    presentationTime: numbers[index], instant: numbers[index + 1],
                    frame: frame < 0 ? nil : Int(frame)))
        }
        self.arrivals = arrivals
        self.report.notes["arrivals"] = nil
    }

    /// The account with delays from the instants at which the frames were taken, for a take whose clock was zero at
    /// `origin` (CLOCK_MONOTONIC, nanoseconds).
    ///
    /// A frame that would share its frame of the file with the one before gets the next frame's first instant as its time
    /// (`FrameGrid`), and so does not say when it was taken. With `framesPerSecond` such frames are left out; the note
    /// "moved" says how many.
    func sinceCapture(origin: Int64, framesPerSecond: Int? = nil) -> TransferReport {
        var result = report
        var moved = 0
        result.delays = arrivals.compactMap { arrival in
            if let framesPerSecond, MeterAccount.movedFrame(arrival.presentationTime, framesPerSecond) != nil {
                moved += 1
                return nil
            }
            return arrival.instant - origin - arrival.presentationTime
        }
        result.notes["moved"] = "\(moved)"
        return result
    }

    /// The account with delays from the instants at which the engine's pattern changed: it does so at even instants from the
    /// first frame on.
    func sinceDue(origin: Int64, framesPerSecond: Int) -> TransferReport {
        let interval = 1_000_000_000 / Int64(framesPerSecond)
        var result = report
        result.delays = arrivals.map { arrival in
            // A frame is taken when it is due or soon after; a moved time is half a frame behind that.
            let time = arrival.presentationTime
            let frame =
                MeterAccount.movedFrame(time, framesPerSecond).map { $0 - 1 } ?? (time + interval / 20) / interval
            return arrival.instant - origin - frame * interval
        }
        return result
    }

    /// The frame whose first instant `time` is exactly: half a frame before it and 12 µs. Nil where it is none's.
    static func movedFrame(_ time: Int64, _ framesPerSecond: Int) -> Int64? {
        let rate = Int64(framesPerSecond)
        let nearest = (time * rate + 500_000_000) / 1_000_000_000
        return (nearest - 1...nearest + 1).first { (2 * $0 - 1) * 1_000_000_000 / (2 * rate) + 12_000 == time }
    }

    /// The account with delays from the instants at which a scene had drawn the frames. A frame that shows the same
    /// frame as the one before is left out.
    func sinceDrawing(_ log: [SceneProcess.Shown]) -> TransferReport {
        let instants = Dictionary(log.map { ($0.frame, $0.instant) }) { first, _ in first }
        var result = report
        var last: Int?
        result.delays = arrivals.compactMap { arrival in
            guard let frame = arrival.frame, frame != last, let drawn = instants[frame] else { return nil }
            last = frame
            return arrival.instant - drawn
        }
        return result
    }
}
