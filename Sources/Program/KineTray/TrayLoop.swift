// The tray's loop: one poll for the bus, the takes, the programs that were started and the keys. It sleeps until one of
// them has something, and once a minute while a take's time runs.
import KineDesktop
import KinePlatform
import KineProgram
import KineShortcuts
import KineTakes
import KineWire
import SystemPackage

/// Used on one thread.
final class TrayLoop {
    /// The tray's surroundings.
    struct Context {
        /// The address of the user's bus; nil: there is none.
        var bus: String?
        var registry: TakeRegistry
        /// The path of `kinecast`; nil: there is none.
        var kinecast: String?
        /// The directory of recordings, and the directory of icon themes, if they are there.
        var recordings: FilePath?
        var themes: FilePath?
        /// Nanoseconds to wait for a desktop that shows the item: a panel may start later, or again.
        var hostTimeout: Int64 = 30_000_000_000
        /// Whether it ends with the last take, or when none begins in time.
        var endsWithTakes = false
        /// Gets sentences about what cannot be done.
        var complain: (String) -> Void
    }

    enum Ending: Equatable {
        case quit
        case busLost
        /// No desktop shows the item, and no keys are held.
        case noHost
    }

    private let context: Context
    private let bus: BusConnection?
    private let item: StatusItem?
    private let menu: MenuObject?
    private let takes: Takes
    /// Nil until there is something to say.
    private var notifier: DesktopNotifier?
    private let launcher: ProgramLauncher
    private let signals: SignalDescriptor?
    private let shortcuts: ShortcutHolder?
    private var recordings: RecentRecordings
    private var ending: Ending?
    private var hostDeadline: Int64?
    /// Nanoseconds for the take to begin that the tray ends with: a countdown, and a desktop's dialog.
    private static let takeTimeout: Int64 = 180_000_000_000
    private var takeDeadline: Int64?
    private var nextMinute: Int64?

    /// Throws if this user watches as many directories as the system allows.
    ///
    /// - Parameter signals: the signals that end the loop.
    init(_ context: Context, shortcuts: ShortcutHolder?, signals: SignalDescriptor? = nil) throws(Errno) {
        (self.context, self.shortcuts, self.signals) = (context, shortcuts, signals)
        takes = try Takes(context.registry)
        launcher = ProgramLauncher(complain: context.complain)
        recordings = RecentRecordings(in: context.recordings)
        // Without a bus that answers, only keys work.
        bus = context.bus.flatMap { try? BusConnection(address: $0) }
        menu = bus.flatMap { try? MenuObject($0) }
        item = bus.flatMap { try? StatusItem($0, themes: context.themes) }
        menu?.refresh = { [unowned self] in
            recordings.refresh()
            return items(at: MonotonicClock.now())
        }
        menu?.perform = { [unowned self] in perform($0) }
        item?.current = { [unowned self] in appearance(at: MonotonicClock.now()) }
        recordings.refresh()
    }

    /// Returns when the tray is to end.
    func run() -> Ending {
        defer { notifier?.end() }
        while true {
            bus?.process()
            let now = MonotonicClock.now()
            if signals?.next() != nil { ending = .quit }
            launcher.reap()
            let files = takes.process(at: now).ended.filter { $0.phase == .ended }.compactMap(\.file)
            if !files.isEmpty {
                recordings.add(files)
                recordings.refresh()
            }
            shortcuts?.process().forEach { perform(state.command(for: $0)) }
            show(at: now)
            // The changes may have left messages to send.
            bus?.process()
            if bus?.isClosed == true { return .busLost }
            checkHost(at: now)
            checkTakes(at: now)
            if let ending { return ending }
            sleep()
        }
    }

    private func sleep() {
        PollLoop.wait(
            for: launcher, signals, takes, shortcuts, bus,
            until: nextMinute, hostDeadline, takes.takes.isEmpty ? takeDeadline : nil)
    }

    /// Ends a process that is of no use. One with keys stays without a desktop that shows the item.
    private func checkHost(at now: Int64) {
        guard shortcuts == nil, item?.hasHost != true else {
            hostDeadline = nil
            return
        }
        let deadline = hostDeadline ?? now + context.hostTimeout
        hostDeadline = deadline
        if bus == nil || now >= deadline { ending = ending ?? .noHost }
    }

    private func checkTakes(at now: Int64) {
        guard context.endsWithTakes else { return }
        if !takes.takes.isEmpty {
            takeDeadline = now
        } else if let takeDeadline {
            if now >= takeDeadline { ending = ending ?? .quit }
        } else {
            takeDeadline = now + Self.takeTimeout
        }
    }

    private func show(at now: Int64) {
        let minutePassed = nextMinute.map { now >= $0 } ?? false
        nextMinute = state.take?.nextMinute(after: now)
        item?.show(appearance(at: now), minutePassed: minutePassed)
        menu?.show(items(at: now))
    }

    private func appearance(at now: Int64) -> StatusItem.Appearance {
        StatusItem.Appearance(
            condition: state.condition, summary: state.summary(at: now), details: state.details)
    }

    private func items(at now: Int64) -> [MenuItem] {
        TrayMenu.items(state, recordings: recordings.entries, at: now)
    }

    private var state: TrayState { TrayState(takes: takes.takes) }

    private func kinecast(_ arguments: [String]) {
        guard let program = context.kinecast else {
            return context.complain("There is no kinecast beside kinecast-tray; install Kinecast completely.")
        }
        launcher.start(program, arguments)
    }

    /// Says what was done, or why not: a person who uses a key or the menu sees no terminal.
    private func ask(_ request: ClientRequest, of take: String) {
        takes.send(request, to: take, at: MonotonicClock.now()) { [unowned self] answer in
            switch answer {
            case .success(let answer): DesktopNotifier.Contents.done(request, answer.reply).map { tell($0) }
            case .failure(let error): tell(.problem(error.description), isProblem: true)
            }
        }
    }

    /// What was done does not replace a problem that nobody has read.
    private func tell(_ contents: DesktopNotifier.Contents, isProblem: Bool = false) {
        let notifier = notifier ?? DesktopNotifier(bus: context.bus)
        self.notifier = notifier
        notifier.show(contents, isApart: isProblem)
    }

    private func perform(_ command: MenuCommand) {
        switch command {
        case .kinecast(let arguments): kinecast(arguments)
        case .ask(let request, let take): ask(request, of: take)
        case .refuse(let sentence): tell(.problem(sentence), isProblem: true)
        case .open(let file): launcher.open(file)
        case .quit: ending = .quit
        }
    }
}
