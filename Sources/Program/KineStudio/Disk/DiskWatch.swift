// The free space where recordings go, and for how long a recording fits into it.
import Glibc
import KinePlatform
import KineTakes
import KineText
import KineWire
import SystemPackage

/// Free space as a page shows it: rounded down, so that an event is sent only where the shown text changes.
struct DiskSpace: Encodable, Equatable, Sendable {
    /// Bytes.
    let free: Int64
    /// Seconds of recording.
    let duration: Int64
    /// The names of the directory of recordings and of the one above it, the upper one first.
    var place: [String] = []

    /// - Parameter rate: bytes a second.
    init(free: Int64, rate: Double) {
        let step: Int64 =
            switch free {
            case 10_000_000_000...: 1_000_000_000
            case 1_000_000_000...: 100_000_000
            default: 10_000_000
            }
        self.free = free - free % step
        let seconds = Int64(min(Double(free) / max(rate, 1), 1e12))
        let minutes: Int64 =
            switch seconds {
            case 7200...: 60
            case 600...: 5
            default: 1
            }
        duration = seconds - seconds % (minutes * 60)
    }
}

/// The bytes that recordings take. Pure.
struct RecordingRate: Sendable {
    /// Bytes a second before any recording was seen: 4 Mbit/s, a screen of 1920×1080 that is worked on, with sound.
    static let typical = 500_000.0
    /// Seconds below which a recording says little: it begins with its largest frame.
    static let shortest = 10.0
    private static let most = 5

    private var recent: [(bytes: Int64, seconds: Double)] = []

    mutating func add(bytes: Int64, seconds: Double) {
        guard seconds >= Self.shortest, bytes > 0 else { return }
        if recent.count == Self.most { recent.removeFirst() }
        recent.append((bytes, seconds))
    }

    /// Bytes a second of the recent recordings.
    var usual: Double {
        guard !recent.isEmpty else { return Self.typical }
        return Double(recent.map(\.bytes).reduce(0, +)) / recent.map(\.seconds).reduce(0, +)
    }

    /// Bytes a second of takes that run at once; `usual` where none has run long enough.
    func current(_ running: [(bytes: Int64, seconds: Double)]) -> Double {
        let known = running.filter { $0.seconds >= Self.shortest && $0.bytes > 0 }
        return known.isEmpty ? usual : known.map { Double($0.bytes) / $0.seconds }.reduce(0, +)
    }
}

/// Looks at the disk while pages are connected. Used on the loop's thread.
struct DiskWatch {
    /// Nanoseconds between two looks.
    private static let interval: Int64 = 10_000_000_000

    private var rate = RecordingRate()
    private var takes: Set<String> = []
    private var shown: DiskSpace?
    /// The next look.
    private(set) var deadline: Int64 = 0

    mutating func received(_ event: EngineEvent) {
        if case .finished(let summary) = event, summary.output != nil {
            rate.add(bytes: summary.progress.bytes, seconds: summary.progress.duration.seconds)
        }
    }

    /// The space, where its text has changed since the last call.
    mutating func poll(_ views: [TakeView], at now: Int64) -> DiskSpace? {
        let ids = Set(views.map(\.record.id))
        guard now >= deadline || ids != takes else { return nil }
        (takes, deadline) = (ids, now + Self.interval)
        let files = views.compactMap { view in view.file.map { (FilePath(escaped: $0), view.time(at: now).seconds) } }
        let directory = files.first?.0.removingLastComponent() ?? UserDirectories.kinecastRecordings
        guard let directory, let free = Self.free(directory) else { return nil }
        let running = files.compactMap { file, seconds in
            (try? file.stat()).map { (bytes: $0.size, seconds: seconds) }
        }
        var space = DiskSpace(free: free, rate: rate.current(running))
        space.place = directory.components.suffix(2).map { $0.string.printable(limit: 40) }
        guard space != shown else { return nil }
        shown = space
        return space
    }

    /// The bytes that this user may still write into a directory, which may not exist yet.
    private static func free(_ directory: FilePath) -> Int64? {
        var information = statvfs()
        guard
            statvfs(directory.cString, &information) == 0
                || statvfs(directory.removingLastComponent().cString, &information) == 0
        else { return nil }
        let (bytes, overflow) = Int64(information.f_bavail).multipliedReportingOverflow(by: Int64(information.f_frsize))
        return overflow ? .max : bytes
    }
}
