// What `record` and `broadcast` print: sentences and a progress line on standard error, or JSON events on standard
// output.
import KineClient
import KineControl

/// Prints the course of one take.
final class TakeReporter {
    private let terminal: Terminal
    private let output: Terminal
    private let events: JSONEvents?
    /// A progress line is rewritten once a second. Not while COMMAND has the terminal.
    let showsProgress: Bool
    private let isVerbose: Bool
    /// The names of the destinations, in their order.
    private let destinations: [String]
    /// The user chose the most bits a second that the destinations get.
    private let hasOwnMaximum: Bool
    private var last: TakeProgress?
    private var statuses: [DestinationStatus] = []
    private var isPaused = false
    private var started: TakeStarted?
    /// The destinations that were reported as live, and the links that were printed.
    private var live: Set<Int> = []
    private var links: [Int: String] = [:]
    private var playerLinks: [Int: String] = [:]
    /// Failures of destinations before the take began. The take's own failure mostly has the same reason, which is said once.
    private var earlyFailures: [(reason: String, sentence: String)] = []

    /// - Parameters:
    ///   - terminal: for sentences and the progress line.
    ///   - output: for the links, where there is no `json`.
    ///   - isVerbose: the progress line has frame rate, losses, bitrates and memory too.
    init(
        _ configuration: TakeConfiguration, terminal: Terminal, output: Terminal = .standardOutput, json: Bool,
        hasCommand: Bool, isVerbose: Bool = false
    ) {
        self.terminal = terminal
        self.output = output
        destinations = configuration.destinations.map(\.label)
        hasOwnMaximum = configuration.video.maximumBitrate != nil
        events = json ? JSONEvents() : nil
        showsProgress = terminal.isInteractive && !hasCommand && !json
        self.isVerbose = isVerbose
    }

    /// Whether the engine should send progress at all; otherwise it sleeps longer.
    var wantsProgress: Bool { showsProgress || events != nil }

    func warning(_ message: String) {
        events?.emit(JSONEvent("warning") { $0.message = message })
        terminal.line("kinecast: \(message)")
    }

    func report(_ report: TakeRunStateMachine.Report) {
        switch report {
        case .session(let event): session(event)
        case .finishing:
            events?.emit(JSONEvent("finishing"))
            let what = destinations.isEmpty ? "Finishing the file" : "Ending the broadcast"
            if events == nil { terminal.line("\(what). Press Ctrl-C again to stop immediately.") }
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

    private func session(_ event: SessionEvent) {
        switch event {
        case .started(let take): start(take)
        case .progress(let progress, let statuses): show(progress, statuses)
        case .paused:
            isPaused = true
            events?.emit(JSONEvent("paused"))
            if let last { drawLine(last) }
        case .resumed:
            isPaused = false
            events?.emit(JSONEvent("resumed"))
        case .warning(let text): warning(text)
        case .connectionFailed(let error): warning(error.description)
        case .destination(let event): destination(event)
        case .ended(.finished(let summary)):
            events?.emit(.summary("finished", summary, exitStatus: summary.exitStatus))
            TakeSentences.summary(summary).forEach(terminal.line)
        case .ended(.failed(let failure)):
            reportEarlyFailures(except: failure.message)
            events?.emit(JSONEvent("error") { $0.message = failure.message })
            terminal.line("kinecast: \(failure.message)")
            if let summary = failure.summary {
                TakeSentences.summary(summary, told: failure.message).forEach(terminal.line)
            }
            events?.emit(.failure(failure))
        case .ended(.engineDied(let death)):
            terminal.line("kinecast: \(TakeSentences.death(death))")
            events?.emit(.death(death, size: started?.size))
        }
    }

    private func start(_ take: TakeStarted) {
        started = take
        reportEarlyFailures()
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
            terminal.line("The destinations get at most \(Quantity.bitrate(bits)); --max-bitrate changes that.")
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
            case (false, nil): "Starting to broadcast \(size) to \(Quantity.list(destinations))"
            case (false, let output?):
                "Starting to broadcast \(size) to \(Quantity.list(destinations)), and recording to \(output),"
            }
        return "\(doing) as \(take.id); Ctrl-C ends it."
    }

    private func destination(_ event: DestinationEvent) {
        events?.emit(.destination(event))
        let sentence = DestinationSentences.sentence(event, isKnownLive: live.contains(event.destination))
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
        let line = (sentence.isWarning ? "kinecast: " : "") + sentence.text
        if case .ended(.failed(let reason)) = event.kind, started == nil {
            earlyFailures.append((reason, line))
        } else {
            terminal.line(line)
        }
    }

    /// Prints what was held back, but for what the take's own failure says.
    private func reportEarlyFailures(except reason: String? = nil) {
        for failure in earlyFailures where failure.reason != reason { terminal.line(failure.sentence) }
        earlyFailures = []
    }

    /// A script reads the link from standard output; a person who looks at both streams sees it once.
    private func show(_ link: String) {
        if !(output.isInteractive && terminal.isInteractive) { output.line(link) }
    }

    private func show(_ progress: TakeProgress, _ statuses: [DestinationStatus]) {
        self.statuses = statuses
        events?.emit(
            JSONEvent("progress") {
                $0.set(progress)
                $0.set(statuses)
            })
        drawLine(progress)
        last = progress
    }

    private func drawLine(_ progress: TakeProgress) {
        guard showsProgress else { return }
        let line = ProgressLine(
            progress: progress, last: last, statuses: statuses, isPaused: isPaused, hasFile: started?.output != nil,
            isVerbose: isVerbose)
        terminal.status(line.text)
    }
}
