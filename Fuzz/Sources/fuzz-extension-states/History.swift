// Drives the state machine of a destination as the engine does, and judges every step.
import KineMedia
import KineServices
import KineWire

/// One destination from its beginning to its end.
struct History {
    private(set) var now: Int64 = 1_000_000_000
    private let begin: Int64 = 1_000_000_000
    private let limits: ExtensionLimits
    private var machine: ExtensionStateMachine
    private var hasProcess = false
    private var isFed = false
    private var hasStarted = false
    private var saysLive = true
    private var wordsPassed = 0
    private var warningsPassed = 0
    private var logLinesPassed = 0
    private var lastKeyframe = Int64.min
    private var lastEncoding = Int64.min
    private var lastServiceInfo = Int64.min
    private var endings: [DestinationEnding] = []

    init() {
        var manifest = ServiceManifest(id: "fuzz", name: "Fuzz", executable: "fuzz")
        manifest.restarts = 2
        limits = ExtensionLimits(manifest: manifest, supervision: SupervisionLimits())
        machine = ExtensionStateMachine(
            status: DestinationStatus(destination: 0, service: "fuzz", label: "fuzz", phase: .launching),
            limits: limits, now: now)
        settle()
    }

    mutating func wait(milliseconds: Int64) {
        now += milliseconds * 1_000_000
        settle()
    }

    /// Messages of a process are only received while it runs.
    mutating func report(_ report: ExtensionReport) {
        guard hasProcess else { return }
        if case .live(let isLive, _, _) = report { saysLive = isLive }
        if report == .started { hasStarted = true }
        note(.report(report))
    }

    mutating func exit(status: Int32, cappedAt: Int?) {
        guard hasProcess else { return }
        hasProcess = false
        note(.exited(.exited(status: status), stderrTail: nil, cappedAt: cappedAt))
    }

    mutating func note(_ event: ExtensionStateMachine.Event) {
        handle(event)
        settle()
    }

    /// The engine's loop: until nothing is due. It must not turn for ever.
    private mutating func settle() {
        for _ in 0..<16 {
            guard let deadline = machine.nextDeadline, deadline <= now else { return }
            handle(.timePassed)
        }
        preconditionFailure("something is due again and again")
    }

    /// The take ends, and the process goes when it is killed: so does every destination.
    mutating func close() {
        note(.finishRequested)
        for _ in 0..<16 where !machine.isEnded {
            wait(milliseconds: 60_000)
            exit(status: 0, cappedAt: nil)
        }
        precondition(machine.isEnded, "it never ends")
        precondition(machine.status.phase == .ended && endings.count == 1, "\(endings.count) endings")
        precondition(machine.status.ending == endings.first, "another ending than was told")
        precondition(!isFed, "it is fed after its end")
        precondition(machine.status.restarts <= limits.restarts, "started again too often")
    }

    private mutating func handle(_ event: ExtensionStateMachine.Event) {
        for action in machine.handle(event, at: now) {
            switch action {
            case .launch:
                precondition(!hasProcess && endings.isEmpty, "a process too many")
                (hasProcess, hasStarted, saysLive) = (true, false, true)
                handle(.launched(pid: 1))
            case .beginFeeding:
                precondition(!isFed && hasProcess, "it is fed twice")
                isFed = true
            case .endFeeding:
                precondition(isFed, "a feed that never began has ended")
                isFed = false
            case .send, .kill: break
            case .requestKeyframe:
                precondition(lastKeyframe == .min || now - lastKeyframe >= limits.keyframe, "too many keyframes")
                lastKeyframe = now
            case .requestEncoding:
                precondition(lastEncoding == .min || now - lastEncoding >= limits.encoding, "too many changes")
                lastEncoding = now
            case .announce(let kind, _): received(kind)
            }
        }
    }

    private mutating func received(_ kind: DestinationEvent.Kind) {
        precondition(endings.isEmpty, "something was told after the end")
        switch kind {
        case .ended(let ending): endings.append(ending)
        case .warning:
            warningsPassed += 1
            let seconds = Int((now - begin) / 1_000_000_000) + 1
            precondition(warningsPassed <= 20 + 4 * seconds, "it warns without end")
        case .link, .playerLink, .state:
            wordsPassed += 1
            let seconds = Int((now - begin) / 1_000_000_000) + 1
            precondition(wordsPassed <= 20 + 4 * seconds, "it talks without end")
        case .log:
            logLinesPassed += 1
            let seconds = Int((now - begin) / 1_000_000_000) + 1
            // Each may come with another that counts those left out.
            precondition(logLinesPassed <= 2 * (100 + 20 * seconds), "it logs without end")
        case .phase(.live):
            precondition(isFed && hasStarted, "live before it has started")
            precondition(saysLive, "live, and it said that it is not")
        case .serviceInfo:
            precondition(
                lastServiceInfo == .min || now - lastServiceInfo >= limits.serviceInfo, "it informs without end")
            lastServiceInfo = now
        case .phase, .memoryWarning, .restarting: break
        }
    }
}
