// What `record` and `broadcast` tell the user: sentences and a progress line on standard error, or JSON events on standard
// output.
import KineContainers
import KineControl
import KineMedia
import KinePlatform

/// Prints the course of one take.
final class TakeReporter {
    private let terminal: Terminal
    private let output: Terminal
    private let events: JSONEvents?
    /// A progress line is rewritten once a second. Not while COMMAND has the terminal.
    let showsProgress: Bool
    /// The names of the destinations, in their order.
    private let destinations: [String]
    /// The user said how much the destinations get at most.
    private let hasOwnMaximum: Bool
    private var last: TakeProgress?
    private var statuses: [DestinationStatus] = []
    private var isPaused = false
    private var started: TakeStarted?
    /// The destinations of which it has been said that they are live, and the links that were printed.
    private var live: Set<Int> = []
    private var links: [Int: String] = [:]
    private var playerLinks: [Int: String] = [:]
    /// Why destinations failed before the take began, and the sentences for it: mostly because the take cannot begin, which
    /// the take says itself then.
    private var early: [(reason: String, sentence: String)] = []

    /// - Parameters:
    ///   - terminal: for sentences and the progress line.
    ///   - output: for the links, where there is no `json`.
    init(
        _ configuration: TakeConfiguration, terminal: Terminal, output: Terminal = .standardOutput, json: Bool,
        hasCommand: Bool
    ) {
        self.terminal = terminal
        self.output = output
        destinations = configuration.destinations.map(\.label)
        hasOwnMaximum = configuration.video.maximumBitrate != nil
        events = json ? JSONEvents() : nil
        showsProgress = terminal.isInteractive && !hasCommand && !json
    }

    /// Whether the engine should send progress at all; otherwise it sleeps longer.
    var wantsProgress: Bool { showsProgress || events != nil }

    func warning(_ message: String) {
        events?.emit(JSONEvent("warning") { $0.message = message })
        terminal.line("kinecast: \(message)")
    }

    func report(_ report: TakeSession.Report) {
        switch report {
        case .engine(let message): engine(message)
        case .finishing:
            events?.emit(JSONEvent("finishing"))
            let what = destinations.isEmpty ? "Finishing the file" : "Ending the broadcast"
            if events == nil { terminal.line("\(what); once more to end at once.") }
        case .commandEnded(let ending):
            events?.emit(
                JSONEvent("commandEnded") {
                    switch ending {
                    case .exited(let status): $0.status = status
                    case .killed(let signal): $0.signal = signal
                    }
                })
        case .commandFailed(let reason):
            events?.emit(JSONEvent("error") { $0.message = reason })
            terminal.line("kinecast: \(reason)")
        }
    }

    private func engine(_ message: EngineMessage) {
        switch message {
        case .started(let take): start(take)
        case .progress(let progress): show(progress)
        case .paused:
            isPaused = true
            events?.emit(JSONEvent("paused"))
            if let last { show(last, statuses, isNew: false) }
        case .resumed:
            isPaused = false
            events?.emit(JSONEvent("resumed"))
        case .warning(let text): warning(text)
        case .refused(let text): warning(text)
        case .status(let status): show(status.progress, status.destinations)
        case .destination(let event): destination(event)
        case .finished(let summary):
            events?.emit(.summary("finished", summary, exitStatus: summary.exitStatus))
            HumanText.summary(summary).forEach(terminal.line)
        case .failed(let failure):
            tellEarly(except: failure.message)
            events?.emit(JSONEvent("error") { $0.message = failure.message })
            terminal.line("kinecast: \(failure.message)")
            if let summary = failure.summary {
                HumanText.summary(summary, told: failure.message).forEach(terminal.line)
            }
            events?.emit(.failure(failure))
        }
    }

    private func start(_ take: TakeStarted) {
        started = take
        tellEarly()
        events?.emit(
            JSONEvent("started") {
                $0.id = take.id
                $0.output = take.output
                $0.width = take.size.width
                $0.height = take.size.height
                $0.environment = take.environment
                $0.maximumBitrate = take.maximumBitrate
            })
        if events == nil, !hasOwnMaximum, let bits = take.maximumBitrate {
            terminal.line("The destinations get at most \(HumanText.bitrate(bits)); --max-bitrate changes that.")
        }
        guard events == nil, showsProgress else { return }
        terminal.line(Self.heading(take, destinations))
        if !take.environment.isEmpty { terminal.line(take.environment.joined(separator: " ")) }
    }

    static func heading(_ take: TakeStarted, _ destinations: [String]) -> String {
        let size = "\(take.size.width)x\(take.size.height)"
        let doing =
            switch (destinations.isEmpty, take.output) {
            case (true, let output): "Recording \(size) to \(output ?? "no file")"
            case (false, nil): "Starting to broadcast \(size) to \(DestinationPlan.list(destinations))"
            case (false, let output?):
                "Starting to broadcast \(size) to \(DestinationPlan.list(destinations)), and recording to \(output),"
            }
        return "\(doing) as \(take.id); Ctrl-C ends it."
    }

    private func destination(_ event: DestinationEvent) {
        events?.emit(.destination(event))
        let sentence = DestinationText.sentence(event, isKnownLive: live.contains(event.destination))
        switch event.kind {
        case .phase(.live): live.insert(event.destination)
        case .restarting: live.remove(event.destination)
        case .link(let link):
            live.insert(event.destination)
            if events == nil, links.updateValue(link, forKey: event.destination) != link { show(link) }
        case .playerLink(let link):
            if events == nil, playerLinks.updateValue(link, forKey: event.destination) != link { show(link) }
        default: break
        }
        // What changes every second is in the progress line, or in the events.
        if case .state = event.kind, wantsProgress { return }
        guard let sentence else { return }
        if case .ended(.failed(let reason)) = event.kind, started == nil {
            early.append((reason, sentence))
        } else {
            terminal.line(sentence)
        }
    }

    /// Tells what was held back, but for what the take's own failure says.
    private func tellEarly(except reason: String? = nil) {
        for one in early where one.reason != reason { terminal.line(one.sentence) }
        early = []
    }

    /// A script takes the link from standard output; a person who looks at both streams need not see it twice.
    private func show(_ link: String) {
        if !(output.isInteractive && terminal.isInteractive) { output.line(link) }
    }

    private func show(_ progress: TakeProgress, _ statuses: [DestinationStatus] = [], isNew: Bool = true) {
        self.statuses = statuses
        defer { if isNew { last = progress } }
        if isNew {
            events?.emit(
                JSONEvent("progress") {
                    $0.set(progress)
                    $0.set(statuses)
                })
        }
        guard showsProgress else { return }
        terminal.status(
            HumanText.progress(
                progress, since: isNew ? last : nil, isPaused: isPaused, hasFile: started?.output != nil, statuses))
    }

    /// The engine is gone without its last message.
    ///
    /// - Parameters:
    ///   - how: how its process ended.
    ///   - lastWords: the last line of its log.
    ///   - recovery: what was saved, or why nothing was; nil where there was no file yet.
    ///   - older: the file that was to be replaced and was not.
    func engineLost(
        _ cause: TakeSession.RecoveryCause, how: String, lastWords: String?,
        recovery: Result<RecoveredFile, MP4Recovery.Error>?, older: String? = nil
    ) {
        let happened =
            switch cause {
            case .engineDied: "The engine died (\(how)\(lastWords.map { "; its last words: \($0)" } ?? ""))"
            case .interruptedTwice: "The engine was ended at once, as asked"
            }
        let output = started?.output ?? ""
        switch recovery {
        case .success(let saved):
            let amount = "\(HumanText.length(saved.duration)), \(HumanText.bytes(saved.bytes))"
            terminal.line("kinecast: \(happened); what was recorded is saved in \(output): \(amount).")
            events?.emit(
                .recovered(output, saved, size: started?.size, message: happened, exitStatus: ExitStatus.engineDied))
        case .failure(let error):
            let message = "\(happened), and its file cannot be finished: \(error)."
            terminal.line("kinecast: \(message)")
            events?.emit(.lost(message))
        case nil where older != nil:
            let message = "\(happened) before anything was on the disk; \(older ?? "") is still the older file."
            terminal.line("kinecast: \(message)")
            events?.emit(.lost(message))
        case nil where started != nil:
            let message = "\(happened), and the broadcast is over; nothing was being recorded."
            terminal.line("kinecast: \(message)")
            events?.emit(.lost(message))
        case nil:
            let message = "\(happened) before anything was recorded; kinecast doctor may say why."
            terminal.line("kinecast: \(message)")
            events?.emit(.lost(message))
        }
    }
}
