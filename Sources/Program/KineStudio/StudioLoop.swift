// The studio's loop: one poll for the takes, the pages, the programs that were started and the door. It sleeps until one
// of them has something.
import Glibc
import KineClient
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
        /// The arguments of `kinecast`, and `NAME=value` strings.
        case record([String], variables: [String], settings: TakeSettings)
        /// Ends the start of a recording, such as its countdown.
        case cancel
        /// A page shows what can be chosen, and measures what was chosen.
        case survey(SurveyChoice)
        /// A page draws a region in the monitor's large picture.
        case still(monitor: String)
        /// A page shows the picture of a take.
        case previewed
        /// A page shows the progress of takes.
        case measure
        /// Work on a recording has ended.
        case worked
        /// The sheets have changed.
        case sheets
    }

    /// Nanoseconds for which pictures are made, or takes report their progress, after a page has asked for it.
    static let lookLifetime: Int64 = 15_000_000_000

    private let inbox: Mailbox<Message>
    private let studio: Studio
    private let registry: TakeRegistry
    private let takes: Takes
    /// The ids of the takes whose engine has answered. While a recording starts, the ids of takes that have ended stay here.
    private var followed: Set<String> = []
    /// The recording that was asked for, until its take is shown.
    private var start: RecordingStart?
    /// The files that the starting recording reads its settings from.
    private var settings: TakeSettings?
    private let links: StudioLinks
    private let door: StudioDoor
    private let launcher: ProgramLauncher
    private let kinecast: String?
    private let signals: SignalDescriptor
    private var pages = 0
    private var idle: IdleTimeout
    /// The launcher's numbers of running `kinecast record`.
    private var recorders: Set<Int> = []
    private var disk = DiskWatch()
    private let recordings: DirectoryWatch
    private var survey: SurveyProcess?
    private var surveyed = SurveyChoice()
    /// When the survey stops; each request from a page extends it.
    private var surveyDeadline: Int64 = 0
    /// The newest progress of each take, by its id.
    private var progress: [String: TakeProgress] = [:]
    /// The end of progress, unless a page asks again; nil: none is wanted.
    private var progressDeadline: Int64?

    /// Throws if this user watches as many directories as the system allows.
    ///
    /// - Parameter kinecast: the path of `kinecast`; nil: it is not there.
    init(
        _ studio: Studio, _ inbox: Mailbox<Message>, registry: TakeRegistry, links: StudioLinks, door: StudioDoor,
        launcher: ProgramLauncher, kinecast: String?, signals: SignalDescriptor
    ) throws(Errno) {
        (self.studio, self.inbox, self.registry, self.links, self.door) = (studio, inbox, registry, links, door)
        (self.launcher, self.kinecast, self.signals) = (launcher, kinecast, signals)
        takes = try Takes(registry)
        recordings = DirectoryWatch(for: ".mp4") { studio.library.watchedDirectories }
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
            links.removeExpired(at: now)
            studio.hub.keepAlive(at: now)
            studio.previews.tick(at: now)
            // What engines said before a program ended is there by the time it has.
            for (number, line) in launcher.readLines() { hear(line, from: number) }
            let programs = launcher.reap()
            for program in programs { program.lines.forEach { hear($0, from: program.number) } }
            showTakes(at: now)
            studio.requests.deliver(to: takes, at: now)
            showChoices(at: now)
            if pages > 0, let space = disk.poll(takes.takes, at: now) { studio.show(space) }
            if pages > 0, recordings.process(at: now) { studio.showRecordings() }
            for program in programs {
                recorders.remove(program.number)
                if program.number == start?.program { endStart(with: program) }
            }
            let work = recorders.count + studio.jobs.count
            idle.update(
                .init(pages: pages + studio.sheets.count, takes: takes.takes.count, recorders: work), at: now)
            if idle.isOver(at: now) { return }
            sleep()
        }
    }

    private func sleep() {
        let waiting = launcher.descriptors + [inbox.descriptor, signals.descriptor, studio.requests.descriptor]
        var entries = waiting.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        entries += takes.pollEntries + door.pollEntries + (survey?.pollEntries ?? []) + studio.sheets.pollEntries
        if pages > 0 { entries += recordings.pollEntries }
        let deadlines = [
            links.nextDeadline, door.nextDeadline, takes.nextDeadline, idle.deadline, studio.hub.nextKeepAlive,
            studio.previews.nextTick, studio.sheets.nextDeadline,
            survey == nil ? nil : surveyDeadline,
            progressDeadline, pages > 0 ? disk.deadline : nil,
            pages > 0 ? recordings.deadline : nil,
        ]
        WakeSignal.poll(&entries, until: deadlines.compactMap(\.self).min())
    }

    private func receive(_ message: Message) {
        switch message {
        case .pages(let count, let asking):
            if pages == 0, count > 0 { recordings.watch() }
            pages = count
            takes.showsQuestions = asking > 0
        case .redeemed(let token): links.remove(token)
        // `sleep` looks at the previews and the sheets.
        case .previewed, .worked, .sheets: break
        case .survey(let choice): survey(choice)
        case .still(let monitor):
            survey(surveyed)
            survey?.makeStill(of: monitor)
        case .measure:
            progressDeadline = MonotonicClock.now() + Self.lookLifetime
            takes.wantsProgress = true
        case .record(let arguments, let variables, let settings):
            self.settings = settings
            releaseCamera()
            guard let number = launch(arguments, variables) else { return endStart() }
            recorders.insert(number)
            start = RecordingStart(number)
        case .cancel: if let number = start?.program, start?.cancel() == true { launcher.end(number) }
        }
    }

    /// Starts `kinecast`. Returns its number; nil after a notice.
    private func launch(_ arguments: [String], _ variables: [String]) -> Int? {
        let problem: String
        if let kinecast {
            if let number = launcher.start(kinecast, arguments, variables, isHeard: true) { return number }
            problem = "kinecast \(arguments[0]) could not be started; try it in a terminal."
        } else {
            problem = "There is no kinecast beside kinecast-studio; install Kinecast completely."
        }
        studio.add(TakeNotice(kind: .failed, text: problem))
        return nil
    }

    /// A camera can be open once, so the survey leaves it to a take.
    private func releaseCamera() {
        surveyed.camera = nil
        survey?.survey(audio: surveyed.audio, microphone: surveyed.microphone)
    }

    private func survey(_ choice: SurveyChoice) {
        var choice = choice
        if !recorders.isEmpty || !takes.takes.isEmpty { choice.camera = nil }
        surveyDeadline = MonotonicClock.now() + Self.lookLifetime
        do throws(ClientError) {
            let isNew = survey == nil
            if isNew { studio.show(isLocked: false) }
            let survey = if let survey { survey } else { try SurveyProcess() }
            // Its devices are opened again with each request.
            if isNew || choice != surveyed {
                survey.survey(audio: choice.audio, microphone: choice.microphone, camera: choice.camera)
            }
            (self.survey, surveyed) = (survey, choice)
        } catch {
            studio.add(TakeNotice(kind: .failed, text: error.description))
        }
    }

    private func showChoices(at now: Int64) {
        guard let survey else { return }
        guard now < surveyDeadline, let events = survey.events() else {
            self.survey = nil
            studio.show(SurveyLevels())
            return
        }
        for event in events {
            switch event {
            case .sources(let list): studio.update { $0.update(list) }
            case .picture(let picture): studio.update { $0.update(picture) }
            case .locked(let isLocked): studio.show(isLocked: isLocked)
            case .levels(let levels): studio.show(levels)
            case .camera(let camera): studio.show(camera)
            case .still(let picture): studio.show(still: picture)
            case .failed(let sentence): studio.add(TakeNotice(kind: .failed, text: sentence))
            }
        }
    }

    private func showTakes(at now: Int64) {
        let changes = takes.process(at: now)
        if let deadline = progressDeadline, now >= deadline {
            progressDeadline = nil
            takes.wantsProgress = false
        }
        var isMeasured = false
        for (take, event) in changes.events {
            if case .progress(let newest) = event {
                progress[take.id] = newest
                isMeasured = true
            }
            disk.received(event)
            if let notice = TakeNotice(event, take: take.id) { studio.add(notice) }
        }
        reportDeaths(changes.ended.filter { $0.phase != .ended })
        let running = takes.takes
        studio.show(running.map { TakeSnapshot($0) })
        studio.show(running.compactMap(TakeQuestion.init))
        let ids = Set(running.map(\.record.id))
        progress = progress.filter { ids.contains($0.key) }
        if isMeasured {
            studio.show(
                progress: running.compactMap { take in
                    progress[take.record.id].map { TakeSnapshot(take, counts: $0) }
                })
        }
        let answered = takes.answered.union(changes.ended.map(\.record.id))
        followed = start == nil ? answered : followed.union(answered)
        if start?.ending(followed, exit: nil) == .begun { endStart() }
    }

    private func hear(_ line: String, from number: Int) { if number == start?.program { start?.read(line) } }

    /// - Parameter lost: takes whose engine has died.
    private func reportDeaths(_ lost: [TakeView]) {
        for view in lost {
            // The program that began the take recovers its file meanwhile, if it still runs.
            let remedy =
                view.file.map { "if \($0) does not play, kinecast recover \($0.shellWord) finishes it" }
                ?? "kinecast status shows what runs"
            let text = "The engine ended unexpectedly; \(remedy)."
            studio.add(TakeNotice(kind: .failed, take: view.record.id, text: text))
        }
    }

    /// Reports why no take began. The end of one that did is reported by its engine.
    private func endStart(with program: ProgramLauncher.Ended) {
        if start?.ending(followed, exit: program.ending) == .failed {
            studio.add(TakeNotice(kind: .failed, text: Self.problem(of: program)))
        }
        endStart()
    }

    /// The program has read its settings.
    private func endStart() {
        settings?.remove()
        (start, settings) = (nil, nil)
        studio.endStart()
    }

    private static func problem(of program: ProgramLauncher.Ended) -> String {
        problem(in: program.stderr ?? "") ?? "kinecast ended without a reason; try the same in a terminal."
    }

    /// The sentence of an error among what `kinecast` wrote to standard error.
    static func problem(in text: String) -> String? {
        for line in text.split(whereSeparator: \.isNewline) {
            for beginning in ["kinecast: ", "Error: "] where line.hasPrefix(beginning) {
                return String(line.dropFirst(beginning.count))
            }
        }
        return MemoryLog.stderrTail(in: text)
    }
}
