// The studio's loop: one poll for the takes, the pages, the programs that were started and the door. It sleeps until one
// of them has something.
import Glibc
import KineClient
import KinePlatform
import KineWire
import SystemPackage

/// Used on one thread.
final class StudioLoop {
    /// From the threads that answer requests.
    enum Message: Sendable {
        /// The number of connected pages.
        case pages(Int)
        /// The token of a link that was used.
        case redeemed(String)
        /// The arguments of `kinecast`.
        case record([String])
        /// A page shows what can be chosen.
        case look
    }

    /// Nanoseconds for which pictures are made after a page has asked for them.
    static let lookLifetime: Int64 = 15_000_000_000

    private let inbox: Mailbox<Message>
    private let studio: Studio
    private let registry: TakeRegistry
    private let takes: TakesWatch
    /// The ids of the takes that were shown last.
    private var known: Set<String> = []
    /// Whether a take has appeared since a recording was asked for.
    private var hasBegun = false
    private let links: StudioLinks
    private let door: StudioDoor
    private let launcher: ProgramLauncher
    private let kinecast: String?
    private let signals: SignalDescriptor
    private var pages = 0
    private var idle: IdleTimeout
    /// The launcher's numbers of running `kinecast record`.
    private var recorders: Set<Int> = []
    private var survey: SurveyProcess?
    /// The end of the survey, unless a page asks again.
    private var surveyDeadline: Int64 = 0

    /// Throws if this user watches as many directories as the system allows.
    ///
    /// - Parameter kinecast: the path of `kinecast`; nil: it is not there.
    init(
        _ studio: Studio, _ inbox: Mailbox<Message>, registry: TakeRegistry, links: StudioLinks, door: StudioDoor,
        launcher: ProgramLauncher, kinecast: String?, signals: SignalDescriptor
    ) throws(Errno) {
        (self.studio, self.inbox, self.registry, self.links, self.door) = (studio, inbox, registry, links, door)
        (self.launcher, self.kinecast, self.signals) = (launcher, kinecast, signals)
        takes = try TakesWatch(registry)
        idle = IdleTimeout(at: MonotonicClock.now())
    }

    /// Returns after a signal, or when the studio was not used for a while.
    func run() {
        while true {
            let now = MonotonicClock.now()
            if signals.next() != nil { return }
            for message in inbox.drain() { receive(message) }
            door.process(at: now)
            links.removeExpired(at: now)
            studio.hub.keepAlive(at: now)
            showTakes(at: now)
            showChoices(at: now)
            for program in launcher.reap() where recorders.remove(program.number) != nil { report(program) }
            idle.update(.init(pages: pages, takes: takes.takes.count, recorders: recorders.count), at: now)
            if idle.isOver(at: now) { return }
            sleep()
        }
    }

    private func sleep() {
        let waiting = launcher.descriptors + [inbox.descriptor, signals.descriptor]
        var entries = waiting.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        entries += takes.pollEntries + door.pollEntries + (survey?.pollEntries ?? [])
        let deadlines = [
            links.nextDeadline, door.nextDeadline, takes.nextDeadline, idle.deadline, studio.hub.nextKeepAlive,
            survey == nil ? nil : surveyDeadline,
        ]
        WakeSignal.poll(&entries, until: deadlines.compactMap(\.self).min())
    }

    private func receive(_ message: Message) {
        switch message {
        case .pages(let count): pages = count
        case .redeemed(let token): links.remove(token)
        case .look: look()
        case .record(let arguments):
            guard let kinecast else {
                return fail("There is no kinecast beside kinecast-studio; install Kinecast completely.")
            }
            hasBegun = false
            if let number = launcher.start(kinecast, arguments, logged: true) {
                recorders.insert(number)
            } else {
                fail("kinecast record could not be started; try it in a terminal.")
            }
        }
    }

    private func look() {
        surveyDeadline = MonotonicClock.now() + Self.lookLifetime
        guard survey == nil else { return }
        do throws(ClientError) {
            survey = try SurveyProcess()
            survey?.look(true)
        } catch {
            studio.add(TakeNotice(kind: .failed, text: error.description))
        }
    }

    private func showChoices(at now: Int64) {
        guard let survey else { return }
        guard now < surveyDeadline, let events = survey.events() else {
            self.survey = nil
            return
        }
        for event in events {
            switch event {
            case .sources(let list): studio.update { $0.update(list) }
            case .picture(let picture): studio.update { $0.update(picture) }
            case .failed(let sentence): studio.add(TakeNotice(kind: .failed, text: sentence))
            }
        }
    }

    private func showTakes(at now: Int64) {
        let changes = takes.process(at: now)
        for (take, event) in changes.events {
            if let notice = TakeNotice(event, take: take.id) { studio.add(notice) }
        }
        reportDeaths(changes.ended.filter { $0.phase != .ended })
        let models = takes.takes.map(TakeModel.init)
        studio.show(models)
        let ids = Set(models.map(\.id))
        if !recorders.isEmpty, !hasBegun, !ids.subtracting(known).isEmpty {
            hasBegun = true
            studio.endStart()
        }
        known = ids
    }

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
    private func report(_ program: ProgramLauncher.Ended) {
        guard !hasBegun else { return }
        if program.ending == .exited(status: 0) { return studio.endStart() }
        fail(Self.problem(in: program.stderr ?? "") ?? "kinecast record ended without a reason; try it in a terminal.")
    }

    private func fail(_ sentence: String) {
        studio.add(TakeNotice(kind: .failed, text: sentence))
        studio.endStart()
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
