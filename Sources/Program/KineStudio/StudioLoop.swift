// The studio's loop: one poll for the takes, the pages, the programs that were started and the door. It sleeps until one
// of them has something.
import KineClient
import KineMedia
import KinePlatform
import KineTakes
import KineText
import KineWire
import SystemPackage

/// Used on one thread.
final class StudioLoop {
    /// From the threads that answer requests.
    enum Message: Sendable {
        /// The number of connected pages, and of those that show apps' questions.
        case pages(Int, asking: Int)
        /// The token of a link that was used.
        case redeemed(String)
        /// The arguments of `kinecast`, and `NAME=value` strings. `departure`: the nanoseconds in which windows have left the
        /// screen; nil: none leaves.
        case record([String], variables: [String], settings: TakeSettings, departure: Int64?)
        /// A page closes itself for the recording that it has begun, or could not.
        case leaving(Bool)
        /// Ends the start of a recording, such as its countdown.
        case cancel
        /// A page shows what can be chosen, and measures what was chosen.
        case survey(SurveyChoice)
        /// A page shows the progress of takes.
        case measure
        /// The previews, the sheets or the jobs have changed.
        case changed
    }

    /// Nanoseconds for which pictures are made, or takes report their progress, after a page has asked for it.
    static let lookLifetime: Int64 = 15_000_000_000

    private let inbox: Mailbox<Message>
    private let studio: Studio
    private let takes: Takes
    private let recorders: Recorders
    private let links: StudioLinks
    private let door: StudioDoor
    private let signals: SignalDescriptor
    private let windows: StudioWindows
    private var idle: IdleTimeout
    private var disk = DiskWatch()
    private let recordings: DirectoryWatch
    private var survey = SurveyUse()
    private var progress = ShownProgress()

    /// Throws if this user watches as many directories as the system allows.
    ///
    /// - Parameter kinecast: the path of `kinecast`; nil: it is not there.
    init(
        _ studio: Studio, _ inbox: Mailbox<Message>, registry: TakeRegistry, links: StudioLinks, door: StudioDoor,
        launcher: ProgramLauncher, kinecast: String?, signals: SignalDescriptor, windows: StudioWindows
    ) throws(Errno) {
        (self.studio, self.inbox, self.links, self.door, self.signals) = (studio, inbox, links, door, signals)
        self.windows = windows
        takes = try Takes(registry)
        recorders = Recorders(studio, launcher, kinecast: kinecast)
        recordings = DirectoryWatch(for: LibraryFile.endings) { studio.library.watchedDirectories }
        idle = IdleTimeout(at: MonotonicClock.now())
    }

    /// Returns after a signal, or when the studio was not used for a while.
    func run() {
        while true {
            let now = MonotonicClock.now()
            if signals.next() != nil { return }
            for message in inbox.drain() { receive(message) }
            door.process(at: now)
            studio.sheets.process(at: now)
            windows.process(at: now)
            links.removeExpired(at: now)
            studio.hub.keepAlive(at: now)
            studio.previews.tick(at: now)
            recorders.release(windows.departure, at: now)
            recorders.read()
            showTakes(at: now)
            studio.requests.deliver(to: takes, at: now)
            showChoices(at: now)
            if pages > 0, let space = disk.poll(takes.takes, at: now) { studio.show(space) }
            if pages > 0, recordings.process(at: now) { studio.showRecordings() }
            if recorders.conclude() { windows.recordingFailed() }
            // A recorder's take may not be there yet.
            let uses = [pages, studio.sheets.count, takes.takes.count, recorders.count, studio.jobs.count]
            idle.update(isUsed: uses.contains { $0 > 0 }, at: now)
            if idle.isOver(at: now) { return }
            sleep()
        }
    }

    private func sleep() {
        let isShown = pages > 0
        PollLoop.wait(
            for: inbox, signals, studio.requests, recorders, takes, door, links, survey, progress, idle, studio.hub,
            studio.previews, studio.sheets, windows, isShown ? recordings : nil, until: isShown ? disk.deadline : nil)
    }

    private func receive(_ message: Message) {
        switch message {
        case .pages(let count, let asking):
            if pages == 0, count > 0 { recordings.watch() }
            windows.update(pages: count)
            takes.showsQuestions = asking > 0
        case .redeemed(let token): links.remove(token)
        // The loop looks at all of these each time.
        case .changed: break
        case .survey(let choice): survey(choice)
        case .measure: progress.ask(at: MonotonicClock.now())
        case .record(let arguments, let variables, let settings, let departure):
            survey.releaseCamera()
            guard let departure else { return recorders.begin(arguments, variables, settings) }
            windows.awaitDeparture()
            recorders.startTray()
            recorders.hold(arguments, variables, settings, until: MonotonicClock.now() + departure)
        case .cancel: recorders.cancel()
        case .leaving(let isLeaving): windows.leave(isLeaving)
        }
    }

    private var pages: Int { windows.pages }

    private func survey(_ choice: SurveyChoice) {
        if !survey.isRunning { studio.show(isLocked: false) }
        do throws(ClientError) {
            try survey.ask(
                choice, isCameraFree: recorders.count == 0 && takes.takes.isEmpty, at: MonotonicClock.now())
        } catch {
            studio.add(TakeNotice(kind: .failed, text: error.description))
        }
    }

    private func showChoices(at now: Int64) {
        guard let events = survey.events(at: now) else { return studio.show(SurveyLevels()) }
        for event in events {
            switch event {
            case .sources(let list): studio.update { $0.update(list) }
            case .picture(let picture): studio.update { $0.update(picture) }
            case .locked(let isLocked): studio.show(isLocked: isLocked)
            case .levels(let levels): studio.show(levels)
            case .camera(let camera): studio.show(camera)
            case .failed(let sentence): studio.add(TakeNotice(kind: .failed, text: sentence))
            }
        }
    }

    private func showTakes(at now: Int64) {
        let changes = takes.process(at: now)
        // Of the takes that windows have begun: the IDs of their recordings.
        var ended: [String?] = []
        takes.wantsProgress = progress.isWanted(at: now)
        takes.wantsLevels = takes.wantsProgress
        for (take, event) in changes.events {
            progress.received(event, of: take.id)
            disk.received(event)
            guard var notice = TakeNotice(event, take: take.id) else { continue }
            notice.isOwn = recorders.isOwn(take.id)
            windows.received(notice)
            let recording = studio.add(notice)
            if notice.isOwn == true, notice.kind == .ended { ended.append(recording) }
        }
        // Nothing is left to show of a take that has failed, or that the person has not allowed.
        if changes.ended.contains(where: { recorders.isOwn($0.record.id) && !$0.isFinished }) {
            windows.recordingFailed()
        }
        reportDeaths(changes.ended.filter { $0.phase != .ended })
        let running = takes.takes
        studio.show(running.map { TakeSnapshot($0) })
        studio.show(running.compactMap(TakeQuestion.init))
        if let snapshots = progress.snapshots(of: running) { studio.show(progress: snapshots) }
        if let levels = progress.levels(of: running) { studio.show(levels: levels) }
        // Its engine may still run.
        if let last = ended.last { windows.recordingEnded(last, isAlone: running.allSatisfy { $0.ending != nil }) }
        if running.isEmpty { windows.allTakesEnded() }
        recorders.follow(takes.answered.union(changes.ended.map(\.record.id)))
    }

    /// - Parameter lost: takes whose engine has died.
    private func reportDeaths(_ lost: [TakeView]) {
        for view in lost {
            // The program that began the take recovers its file meanwhile, if it still runs.
            let remedy =
                view.file.map { "if \($0) does not play, kinecast recover \($0.shellWord) finishes it" }
                ?? "kinecast status shows what runs"
            let text = "The engine ended unexpectedly; \(remedy)."
            let code = ProblemCode(.engineDied, ["file": view.file])
            studio.add(TakeNotice(kind: .failed, take: view.record.id, text: text, code))
        }
    }
}
