// Prints the course of `record` and `broadcast`: sentences and a progress line on standard error, or JSON events on
// standard output, unless the video goes there.
import KineClient
import KineMedia
import KineText
import KineWire

/// Prints the course of one take.
final class TakeReporter {
    private let configuration: TakeConfiguration
    private let terminal: Terminal
    private let output: Terminal
    let isJSON: Bool
    /// Whether a progress line is rewritten once a second. Not with COMMAND, which uses the terminal.
    let showsProgress: Bool
    private let isVerbose: Bool
    private var started: TakeStarted?
    private var history: ProgressHistory
    private var destinations = DestinationReports()

    /// - Parameters:
    ///   - terminal: for sentences and the progress line.
    ///   - output: for JSON, or for the links.
    ///   - isVerbose: adds frame rate, losses, bitrates and memory to the progress line.
    init(
        _ configuration: TakeConfiguration, terminal: Terminal, output: Terminal = .standardOutput, json: Bool,
        hasCommand: Bool, isVerbose: Bool = false
    ) {
        (self.configuration, self.terminal, self.output) = (configuration, terminal, output)
        isJSON = json
        showsProgress = terminal.isInteractive && !hasCommand && !json
        self.isVerbose = isVerbose
        history = ProgressHistory(isVerbose: isVerbose)
    }

    /// Descriptors that become readable when waiting lines are written; empty if all are written.
    var pending: [Int32] { [terminal, output].compactMap { $0.writer?.pending } }

    /// Whether the engine should send progress; otherwise it sleeps longer.
    var wantsProgress: Bool { showsProgress || isJSON }

    private func emit(_ event: @autoclosure () -> JSONEvent) {
        if isJSON { JSONEvents.write(event(), on: output) }
    }

    func warning(_ message: String, _ code: ProblemCode? = nil) {
        emit(
            JSONEvent("warning") {
                $0.message = message
                $0.set(code)
            })
        terminal.problem(message)
    }

    /// Shows the seconds until the take begins; 0 removes them.
    func countdown(_ seconds: Int) {
        if seconds > 0 { emit(JSONEvent("countdown") { $0.seconds = seconds }) }
        guard !isJSON else { return }
        let text = seconds > 0 ? "The take begins in \(seconds) s; Ctrl-C cancels it." : ""
        terminal.status { text.cut(to: $0) }
    }

    /// The take is in the registry, by this id.
    func opening(_ id: String) { if started == nil { emit(JSONEvent("opening") { $0.id = id }) } }

    func report(_ report: TakeRunStateMachine.Report) {
        switch report {
        case .session(let event): session(event)
        case .finishing:
            emit(JSONEvent("finishing"))
            let what =
                !configuration.destinations.isEmpty
                ? "Ending the broadcast" : configuration.file != nil ? "Finishing the file" : "Ending the take"
            if !isJSON { terminal.line("\(what). Press Ctrl-C again to stop immediately.") }
        case .commandEnded(let ending):
            emit(
                JSONEvent("commandEnded") {
                    switch ending {
                    case .exited(let status): $0.status = status
                    case .killed(let signal): $0.signal = signal
                    }
                })
        case .commandFailed(let reason):
            emit(JSONEvent("error") { $0.message = reason })
            terminal.problem(reason)
        }
    }

    private func session(_ event: SessionEvent) {
        switch event {
        case .engine(.started(let take)): start(take)
        case .engine(.progress(let progress)): show(progress)
        case .engine(.paused):
            let line = history.pause()
            emit(JSONEvent("paused"))
            if let line { draw(line) }
        case .engine(.resumed):
            history.resume()
            emit(JSONEvent("resumed"))
        case .engine(.screenLocked(let isLocked)): screenLocked(isLocked)
        case .engine(.sourceInterrupted(let interruption)): sourceInterrupted(interruption)
        case .engine(.audioUnrecorded(let audio)):
            emit(
                JSONEvent("audioUnrecorded") {
                    $0.application = audio.application
                    $0.audioOutput = audio.output
                })
        case .engine(.appAudioOutput(let name)): emit(JSONEvent("appAudioOutput") { $0.audioOutput = name })
        case .engine(.sourceSwitched(let source, let name)):
            emit(JSONEvent("sourceSwitched") { ($0.source, $0.sourceName) = (source.description, name) })
            let words = (name ?? source.name).printable(limit: 130)
            if !isJSON { terminal.line("The take shows another source now: \(words).") }
        case .engine(.camera(let camera)):
            emit(
                JSONEvent("camera") {
                    $0.on = camera != nil
                    $0.device = camera?.device
                })
        case .engine(.warning(let text, let code)): warning(text, code)
        case .connectionFailed(let error): warning(error.description)
        case .engine(.destination(let event)): destination(event)
        case .ended(let outcome):
            for place in [terminal, output] { place.writer?.keepAll() }
            destinations.flushEarlyFailures(except: outcome.reason).forEach(terminal.line)
            if case .failed(let failure) = outcome {
                emit(
                    JSONEvent("error") {
                        $0.message = failure.sentence
                        $0.set(failure.problem)
                    })
            }
            outcome.print(on: terminal)
            emit(.summary(outcome, size: started?.size))
        case .engine(let event):
            // The others are not sent to a session, or only for the take itself.
            if let audio = event.audioSwitch { emit(JSONEvent(audio.name) { $0.on = audio.isOn }) }
        }
    }

    private func screenLocked(_ isLocked: Bool) {
        emit(JSONEvent("screenLocked") { $0.locked = isLocked })
        guard !isJSON else { return }
        switch (isLocked, configuration.whenLocked) {
        case (true, .pause): terminal.line("The screen is locked; the take pauses until it is unlocked.")
        case (true, .keepRunning): terminal.line("The screen is locked; a plain card is shown until it is unlocked.")
        case (false, _): terminal.line("The screen is unlocked.")
        }
    }

    private func sourceInterrupted(_ interruption: SourceInterruption?) {
        guard let interruption else {
            emit(JSONEvent("sourceReturned"))
            if !isJSON { terminal.line("The source is back.") }
            return
        }
        emit(
            JSONEvent("sourceInterrupted") {
                $0.reason = interruption.reason.rawValue
                $0.monitor = interruption.monitor
                $0.message = interruption.sentence
            })
        terminal.problem(interruption.sentence)
    }

    private func start(_ take: TakeStarted) {
        started = take
        history.start(hasFile: take.output != nil)
        destinations.takeStarted().forEach(terminal.line)
        emit(
            JSONEvent("started") {
                $0.id = take.id
                $0.output = take.output
                $0.sourceName = take.sourceName
                $0.width = take.size.width
                $0.height = take.size.height
                $0.environment = take.environment
                $0.maximumBitrate = take.maximumBitrate
            })
        // A bitrate that the user chose needs no line.
        if !isJSON, configuration.video.maximumBitrate == nil, let bits = take.maximumBitrate {
            terminal.line("The destinations get at most \(Quantity.bitrate(bits)); --max-bitrate changes that.")
        }
        guard showsProgress else { return }
        let labels = configuration.destinations.map(\.label)
        terminal.line(Self.heading(take, labels, clipBuffer: configuration.clipBuffer))
        if !take.environment.isEmpty { terminal.line(take.environment.joined(separator: " ")) }
    }

    static func heading(_ take: TakeStarted, _ destinations: [String], clipBuffer: MediaTime? = nil) -> String {
        let size = "\(take.size.width)x\(take.size.height)"
        let doing =
            switch (destinations.isEmpty, take.output) {
            case (true, nil) where clipBuffer != nil: "Capturing \(size)"
            case (true, let output): "Recording \(size) to \(output.map(outputName) ?? "no file")"
            case (false, nil): "Starting to broadcast \(size) to \(Quantity.list(destinations))"
            case (false, let output?):
                "Starting to broadcast \(size) to \(Quantity.list(destinations)), and recording to \(outputName(output)),"
            }
        let saving = clipBuffer.map { " kinecast clip saves up to the last \(Quantity.length($0))." } ?? ""
        return "\(doing) as \(take.id); Ctrl-C ends it.\(saving)"
    }

    private static func outputName(_ output: String) -> String {
        output == TakeConfiguration.standardOutput ? "standard output" : output
    }

    private func destination(_ event: DestinationEvent) {
        emit(.destination(event))
        let report = destinations.receive(event)
        // A reader of the JSON events already has the link and the log.
        if !isJSON, let link = report.link { show(link) }
        if !isJSON, isVerbose, case .log(let line) = event.kind {
            terminal.line("\(event.label): \(line.level.rawValue): \(line.message)")
        }
        // The progress line and the JSON events already show the state, which changes often.
        if case .state = event.kind, wantsProgress { return }
        if let line = report.line { terminal.line(line) }
    }

    /// Prints a link for a script on standard output, unless both streams are a terminal: a sentence has it already.
    private func show(_ link: String) {
        if !(output.isInteractive && terminal.isInteractive) { output.line(link) }
    }

    private func show(_ progress: TakeProgress) {
        emit(JSONEvent("progress") { $0.set(progress) })
        draw(history.advance(to: progress))
    }

    private func draw(_ line: ProgressLine) { if showsProgress { terminal.status(line.text) } }
}
