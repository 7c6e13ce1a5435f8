// The process `kinecast-engine --survey`: pictures of monitors and windows, and levels of audio, for a person who chooses
// among them in the studio. It reads one source at a time, and only those that have changed.
import FoundationEssentials
import Glibc
import KineCapture
import KineDesktop
import KineMedia
import KinePlatform
import KineTake
import KineWire
import KineX11
import SystemPackage

/// Serves the studio at the other end of a socket until that end closes. Used by the main thread.
public final class PictureSurvey {
    private typealias Connection = ControlConnection<SurveyRequest, SurveyEvent>

    /// Nanoseconds between two pictures, and until the next source that had none yet.
    private static let interval: Int64 = 500_000_000
    private static let firstInterval: Int64 = 20_000_000
    /// Nanoseconds between two searches for windows.
    private static let searchInterval: Int64 = 2_000_000_000
    /// Nanoseconds until a source that cannot be read is tried again.
    private static let retryInterval: Int64 = 5_000_000_000
    /// Nanoseconds to send the last message.
    private static let flushTimeout: Int64 = 1_000_000_000
    /// Nanoseconds until a large picture that cannot be made is given up.
    private static let stillTimeout: Int64 = 5_000_000_000
    /// The most sources that are offered: a person does not choose among more.
    private static let mostSources = 64

    private final class Entry {
        let source: TakeConfiguration.Source
        var opening: (any VideoSourceOpening)?
        var open: (any VideoSource)?
        /// The time of the newest picture; 1 before the first one; 0 before the first attempt.
        var tried: Int64 = 0
        /// The earliest time of the next attempt.
        var retry: Int64 = 0
        var damage = DamageRegion(size: PixelSize(width: 1, height: 1))

        init(_ source: TakeConfiguration.Source) { self.source = source }

        func fail(at now: Int64) {
            (opening, open) = (nil, nil)
            retry = now + PictureSurvey.retryInterval
        }
    }

    /// From other threads.
    private enum Message: Sendable {
        case locked(Bool)
        case levels(SurveyLevels)
    }

    /// Nanoseconds for the desktop to say whether the screen is locked.
    private static let lockTimeout: Int64 = 2_000_000_000

    private let connection: Connection
    private let cancellation = Cancellation()
    private let inbox = Mailbox<Message>()
    private let desktop: Desktop?
    private let reports: LockReports
    private var lockWatch: X11LockWatch?
    private let meter: LevelMeter?
    private var choice = LevelMeter.Choice()
    private var camera = CameraSurvey()
    private var chosenCamera: String?
    /// The monitor whose large picture a page waits for, and when that is given up.
    private var still: (monitor: String, deadline: Int64)?
    /// Whether a page has asked, and the screen is not locked.
    private var isSeen: Bool { isWanted && isLocked == false }
    private var isWanted = false
    /// Nil: the desktop has not said yet.
    private var isLocked: Bool?
    private var lockDeadline: Int64 = 0
    private var list: SourceList?
    private var entries: [SurveyPicture.Subject: Entry] = [:]
    private var nextSearch: Int64 = 0
    private var nextPicture: Int64 = 0

    public init(client: FileDescriptor) throws(ControlError) {
        connection = try Connection(adopting: client)
        let inbox = inbox
        let reports = LockReports { inbox.post(.locked($0)) }
        self.reports = reports
        desktop = Desktop(.find()) { event in
            if case .screenLocked(let isLocked) = event { reports.report(isLocked, by: .desktop) }
        }
        meter = try? LevelMeter { inbox.post(.levels($0)) }
    }

    /// Returns the exit status of the process.
    public func run() -> Int32 {
        // Windows show what a person sees; other programs need their permission for a take.
        guard AskingProgram(at: connection.descriptor) == .commandLine else {
            send(.failed("Only the studio of this installation may ask for pictures; run kinecast studio."))
            _ = connection.drain(until: MonotonicClock.now() + Self.flushTimeout)
            return ExitStatus.noPermission
        }
        lockDeadline = MonotonicClock.now() + Self.lockTimeout
        if let desktop { desktop.watchLock() } else { isLocked = false }
        lockWatch = X11LockWatch { [reports] in reports.report($0, by: .x11) }
        while !connection.isClosed {
            let now = MonotonicClock.now()
            for request in (try? connection.readAvailable()) ?? [] { handle(request) }
            for message in inbox.drain() { receive(message) }
            if isLocked == nil, now >= lockDeadline { isLocked = false }
            if isSeen {
                if now >= nextSearch { search(at: now) }
                if now >= nextPicture { takePicture(at: now) }
                if let picture = camera.process(at: now) { send(.camera(picture)) }
            }
            sleep()
        }
        return 0
    }

    private func handle(_ request: SurveyRequest) {
        switch request {
        case .survey(let audio, let microphone, let camera):
            isWanted = true
            choice = LevelMeter.Choice(audio: audio, microphone: microphone)
            chosenCamera = camera
            if isLocked != true { openDevices() }
        case .still(let monitor):
            isWanted = true
            still = (monitor, MonotonicClock.now() + Self.stillTimeout)
            nextPicture = 0
        }
    }

    private func receive(_ message: Message) {
        switch message {
        case .levels(let levels): if isLocked != true { send(.levels(levels)) }
        case .locked(let isLocked):
            guard isLocked != self.isLocked else { return }
            if isLocked || self.isLocked == true { send(.locked(isLocked)) }
            self.isLocked = isLocked
            // The lock may hide what windows show, and the person may have left.
            if isLocked {
                entries = [:]
                meter?.measure(LevelMeter.Choice())
                camera.show(nil)
            } else {
                openDevices()
            }
        }
    }

    private func openDevices() {
        meter?.measure(choice)
        camera.show(chosenCamera)
    }

    private func sleep() {
        var polled = [pollfd(fd: connection.descriptor.rawValue, events: connection.pollEvents, revents: 0)]
        polled.append(pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0))
        guard isSeen else {
            WakeSignal.poll(&polled, until: isLocked == nil ? lockDeadline : nil)
            return
        }
        let now = MonotonicClock.now()
        // poll leaves out negative descriptors.
        polled.append(pollfd(fd: camera.descriptor(at: now), events: Int16(POLLIN), revents: 0))
        WakeSignal.poll(&polled, until: min(nextSearch, nextPicture, camera.deadline(at: now) ?? .max))
    }

    private func search(at now: Int64) {
        nextSearch = now + Self.searchInterval
        let found = SourceSurvey.screens()
        if found != list { send(.sources(found)) }
        list = found
        // The portal of a desktop would ask the person.
        let monitors = found.screenBackend == .portal ? [] : found.monitors
        var subjects = monitors.map { monitor -> (SurveyPicture.Subject, TakeConfiguration.Source) in
            (.monitor(monitor.name), .screen(monitor: monitor.name))
        }
        subjects += found.windows.map { (.window($0.id), .window($0.id)) }
        let wanted = Dictionary(subjects.prefix(Self.mostSources), uniquingKeysWith: { $1 })
        entries = wanted.reduce(into: [:]) { result, pair in result[pair.key] = entries[pair.key] ?? Entry(pair.value) }
    }

    /// Makes a picture of the source that waits longest among those that have changed.
    private func takePicture(at now: Int64) {
        if still != nil { makeStill(at: now) }
        let hasNew = still != nil || entries.values.contains { $0.tried == 0 && $0.retry <= now }
        nextPicture = now + (hasNew ? Self.firstInterval : Self.interval)
        let waiting = entries.filter { $0.value.retry <= now }.sorted { $0.value.tried < $1.value.tried }
        for (subject, entry) in waiting {
            do throws(VideoSourceError) {
                guard let jpeg = try picture(of: entry) else {
                    // It is not new any more: a source that cannot be read would be asked without a pause.
                    entry.tried = max(entry.tried, 1)
                    continue
                }
                entry.tried = now
                return send(.picture(SurveyPicture(subject, jpeg: Data(jpeg))))
            } catch {
                entry.fail(at: now)
            }
        }
    }

    /// Makes the large picture that a page waits for, as soon as its monitor can be read.
    private func makeStill(at now: Int64) {
        guard let (monitor, deadline) = still, now < deadline, let entry = entries[.monitor(monitor)] else {
            still = nil
            return
        }
        do throws(VideoSourceError) {
            guard let source = try open(entry),
                let jpeg = try SourcePicture.jpeg(of: source, fitting: SurveyPicture.stillLimit)
            else { return }
            still = nil
            send(.still(SurveyPicture(.monitor(monitor), jpeg: Data(jpeg))))
        } catch {
            entry.fail(at: now)
            still = nil
        }
    }

    /// Nil: the source is not open yet.
    private func open(_ entry: Entry) throws(VideoSourceError) -> (any VideoSource)? {
        if entry.open == nil {
            if entry.opening == nil {
                var configuration = TakeConfiguration(source: entry.source, output: nil)
                configuration.video.showsCursor = false
                entry.opening = try SourceRegistry.all.open(configuration, cancellation) { _ in }
            }
            entry.open = try entry.opening?.processEvents()
            if entry.open != nil { entry.opening = nil }
        }
        _ = try entry.open?.processEvents()
        return entry.open
    }

    /// Nil: the source is not open yet, or nothing has changed.
    private func picture(of entry: Entry) throws(VideoSourceError) -> [UInt8]? {
        guard let source = try open(entry) else { return nil }
        try source.addDamage(to: &entry.damage)
        guard !entry.damage.isEmpty, let jpeg = try SourcePicture.jpeg(of: source, fitting: SurveyPicture.limit) else {
            return nil
        }
        entry.damage.removeAll()
        return jpeg
    }

    private func send(_ event: SurveyEvent) { _ = connection.deliver(event) }
}
