// The monitors and windows that a person chooses among in the studio: which there are, whose picture is made next, and
// the pictures.
import FoundationEssentials
import KineCapture
import KineMedia
import KinePlatform
import KineTake
import KineWire

/// Opens every source, and reads one at a time. Used by one thread. Instants are nanoseconds of CLOCK_MONOTONIC.
struct SurveyedSources {
    /// Nanoseconds between two pictures, and until the next source that had none yet.
    private static let interval: Int64 = 500_000_000
    private static let firstInterval: Int64 = 20_000_000
    /// Nanoseconds between two searches for windows.
    private static let searchInterval: Int64 = 2_000_000_000
    /// The most sources that are offered: a person does not choose among more.
    private static let most = 64

    private var list: SourceList?
    private var sources: [SurveyPicture.Subject: SurveyedSource] = [:]
    private var nextSearch: Int64 = 0
    private var nextPicture: Int64 = 0
    private var isShownNext = true
    /// The source whose pictures are large. Its next one is made at once.
    var shown: SurveyPicture.Subject? {
        didSet {
            guard shown != oldValue else { return }
            for subject in [oldValue, shown] { subject.flatMap { sources[$0] }?.renew() }
            nextPicture = 0
        }
    }
    /// Never cancelled: the sources that are read here open without a person.
    private let cancellation = Cancellation()

    /// The latest instant to call `search` and `takePicture`.
    var nextDeadline: Int64 { min(nextSearch, nextPicture) }

    /// Closes all sources. The next search finds them again.
    mutating func closeAll() { sources = [:] }

    /// Searches if it is time to. Returns the monitors and windows if others exist than at the last search.
    mutating func search(at now: Int64) -> SourceList? {
        guard now >= nextSearch else { return nil }
        nextSearch = now + Self.searchInterval
        let found = SourceSurvey.screens()
        keep(found)
        guard found != list else { return nil }
        list = found
        return found
    }

    /// Closes the sources that are gone.
    private mutating func keep(_ found: SourceList) {
        // The portal of a desktop would ask the person.
        let monitors = found.screenBackend == .portal ? [] : found.monitors
        var subjects = monitors.map { monitor -> (SurveyPicture.Subject, TakeConfiguration.Source) in
            (.monitor(monitor.name), .screen(monitor: monitor.name))
        }
        subjects += found.windows.map { (.window($0.id), .window($0.id)) }
        let wanted = Dictionary(subjects.prefix(Self.most), uniquingKeysWith: { $1 })
        sources = wanted.reduce(into: [:]) { result, pair in
            result[pair.key] = sources[pair.key] ?? SurveyedSource(pair.value, cancellation)
        }
    }

    /// Takes a picture of the changed source whose last picture is the oldest, the shown one's every other time; nil if no picture
    /// is due.
    mutating func takePicture(at now: Int64) -> SurveyPicture? {
        guard now >= nextPicture else { return nil }
        let hasNew = sources.values.contains { $0.turn.isFirst && $0.turn.isDue(at: now) }
        nextPicture = now + (hasNew ? Self.firstInterval : Self.interval)
        let waiting = sources.filter { $0.value.turn.isDue(at: now) }
            .sorted { $0.value.turn.precedes($1.value.turn) }
        let preferred = isShownNext ? waiting.filter { $0.key == shown } : []
        for (subject, source) in preferred + waiting {
            let limit = subject == shown ? SurveyPicture.shownLimit : SurveyPicture.limit
            guard let jpeg = source.takePicture(at: now, fitting: limit) else { continue }
            isShownNext = subject != shown
            return SurveyPicture(subject, jpeg: Data(jpeg))
        }
        return nil
    }
}

/// A monitor or window, opened at its first turn.
private final class SurveyedSource {
    private enum State {
        case closed
        case opening(any VideoSourceOpening)
        case open(any VideoSource)
    }

    private(set) var turn = PictureTurn()
    private let configuration: TakeConfiguration
    private let cancellation: Cancellation
    private var state = State.closed
    private var isOld = false
    /// The damage since the newest picture.
    private var damage = DamageRegion(size: PixelSize(width: 1, height: 1))

    init(_ source: TakeConfiguration.Source, _ cancellation: Cancellation) {
        var configuration = TakeConfiguration(source: source, output: nil)
        configuration.video.showsCursor = false
        (self.configuration, self.cancellation) = (configuration, cancellation)
    }

    /// Closes the source, which cannot be read, until its turn comes again.
    func fail(at now: Int64) {
        state = .closed
        turn.failed(at: now)
    }

    /// The next picture is made although nothing has changed: it gets another size.
    func renew() { isOld = true }

    /// Takes its turn. Nil: nothing has changed, or the source cannot be read.
    func takePicture(at now: Int64, fitting limit: PixelSize) -> [UInt8]? {
        do throws(VideoSourceError) {
            guard let jpeg = try changedJPEG(fitting: limit) else {
                turn.passed()
                return nil
            }
            turn.pictured(at: now)
            return jpeg
        } catch {
            fail(at: now)
            return nil
        }
    }

    /// Nil: the source is not open yet, or nothing has changed.
    private func changedJPEG(fitting limit: PixelSize) throws(VideoSourceError) -> [UInt8]? {
        guard let source = try opened() else { return nil }
        try source.addDamage(to: &damage)
        guard isOld || !damage.isEmpty, let jpeg = try SourcePicture.jpeg(of: source, fitting: limit) else {
            return nil
        }
        damage.removeAll()
        isOld = false
        return jpeg
    }

    /// The source with its events handled; nil: it is not open yet.
    private func opened() throws(VideoSourceError) -> (any VideoSource)? {
        if case .closed = state {
            state = .opening(try SourceRegistry.all.open(configuration, cancellation) { _ in })
        }
        if case .opening(let opening) = state, let source = try opening.processEvents() { state = .open(source) }
        guard case .open(let source) = state else { return nil }
        _ = try source.processEvents()
        return source
    }
}

/// When a source gets its next picture: new ones first, then the one whose picture is the oldest. Pure. Instants are
/// nanoseconds of CLOCK_MONOTONIC.
struct PictureTurn {
    private enum Last: Comparable {
        case never
        /// An attempt gave no picture.
        case attempt
        case picture(at: Int64)
    }

    /// Nanoseconds until a source that cannot be read is tried again.
    private static let retryInterval: Int64 = 5_000_000_000

    private var last = Last.never
    /// The earliest instant of the next attempt.
    private var retry: Int64 = 0

    /// No attempt was made yet, or all of them have failed.
    var isFirst: Bool { last == .never }

    func isDue(at now: Int64) -> Bool { retry <= now }

    func precedes(_ other: PictureTurn) -> Bool { last < other.last }

    mutating func pictured(at now: Int64) { last = .picture(at: now) }

    /// The attempt gave no picture. The source counts as new no longer: one that cannot be read would be asked without a
    /// pause.
    mutating func passed() { last = max(last, .attempt) }

    mutating func failed(at now: Int64) { retry = now + Self.retryInterval }
}
