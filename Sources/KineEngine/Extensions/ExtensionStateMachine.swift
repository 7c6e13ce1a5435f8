import KineControl
// The life of one destination: from the start of its extension to its end, through faults and a new start. No clock, no
// process, no I/O: instants come in with the events, and the driver (ExtensionSupervisor) carries out the actions.
import KinePlatform
import KineRelay

/// The pure part of a destination's supervision. Instants are nanoseconds of CLOCK_MONOTONIC.
struct ExtensionStateMachine: Sendable {
    private enum State: Sendable, Equatable {
        /// To be started at that instant; `after`: what ended the last process.
        case waiting(until: Int64, after: DestinationEnding?)
        /// Started, and waiting for the take's formats.
        case launching
        case starting(deadline: Int64)
        case running
        case finishing(deadline: Int64)
        /// The ending is known, and the process still has to go: by itself until the deadline, then killed.
        case going(DestinationEnding, deadline: Int64, killed: Bool)
        case ended
    }

    /// What is known of the destination; pictures skipped and sound lost are the driver's to add.
    private(set) var status: DestinationStatus
    private let limits: ExtensionLimits
    private var state: State
    private var lastHeartbeat: Int64 = 0
    private var heldSince: Int64?
    private var closedAt: Int64?
    private var memory: MemoryWatch
    private var isFed = false
    private var isPaused = false
    /// When the extension is to be told of a pause that the take has made already.
    private var pauseDue: Int64?
    private var isOver = false
    private var liveness = Liveness()
    private var annotation: [String: String]?
    private var isLinkRenewable = false
    private var allowance = SpeechAllowance()
    private var nextKeyframe = Int64.min
    /// What the encoder was asked for; the status has what the extension asks for now.
    private var toldEncoding = EncodingRequest.none
    private var nextEncoding = Int64.min

    /// `now`: when it is to be launched, by the first `timePassed`.
    init(status: DestinationStatus, limits: ExtensionLimits, now: Int64) {
        self.status = status
        self.limits = limits
        memory = MemoryWatch(limit: limits.memory)
        self.status.memoryLimit = limits.memory
        self.status.phase = .launching
        state = .waiting(until: now, after: nil)
    }

    var isEnded: Bool { state == .ended }

    /// When `timePassed` has to be told at the latest; nil: other events come first.
    var nextDeadline: Int64? {
        let own: Int64? =
            switch state {
            case .waiting(let instant, _): instant
            case .launching, .ended: nil
            case .starting(let deadline): min(deadline, lastHeartbeat + limits.heartbeat)
            case .running:
                min(
                    lastHeartbeat + limits.heartbeat, (heldSince ?? .max - limits.held) + limits.held, pauseDue ?? .max,
                    status.encoding != toldEncoding ? nextEncoding : .max)
            case .finishing(let deadline): deadline
            case .going(_, let deadline, let killed): killed ? nil : deadline
            }
        guard let closedAt, hasLiveProcess else { return own }
        return min(own ?? .max, closedAt + limits.closedChannel)
    }

    /// A process runs of which nothing final is known yet.
    private var hasLiveProcess: Bool {
        switch state {
        case .launching, .starting, .running, .finishing: true
        case .waiting, .going, .ended: false
        }
    }

    mutating func handle(_ event: Event, at now: Int64) -> [Action] {
        switch event {
        case .timePassed: return timePassed(at: now)
        case .launched(let pid):
            guard case .waiting(_, let after) = state, !isOver else { return [.kill] }
            state = .launching
            (closedAt, heldSince, pauseDue) = (nil, nil, nil)
            memory = MemoryWatch(limit: limits.memory)
            lastHeartbeat = now
            liveness.processLaunched()
            status.pid = pid
            return after == nil ? [.announce(.phase(.launching))] : [enter(.launching)]
        case .impossible(let reason):
            if case .waiting = state { return conclude(.failed(reason), at: now) }
            return hasLiveProcess ? killing(.failed(reason), at: now) : []
        case .startSent:
            guard state == .launching else { return [] }
            state = .starting(deadline: now + limits.start)
            lastHeartbeat = now
            return [enter(.starting)]
        case .report(let report): return heard(report, at: now)
        case .memory(let resident): return measured(resident, at: now)
        case .held(let since):
            heldSince = since
            return []
        case .misbehaved(let what): return hasLiveProcess ? killing(.crashed(what), at: now) : []
        case .channelClosed:
            if hasLiveProcess, closedAt == nil { closedAt = now }
            return []
        case .exited(let ending, let lastWords, let peak):
            return exited(ending, lastWords: lastWords, cappedAt: peak, at: now)
        case .pauseRequested: return changePause(to: true, at: now)
        case .resumeRequested: return changePause(to: false, at: now)
        case .annotateRequested(let info):
            annotation = info
            return state == .running ? [.send(.annotate(info))] : []
        case .linkRenewalRequested: return canRenewLink ? [.send(.renewLink)] : []
        case .finishRequested: return finish(at: now)
        }
    }

    /// It runs, and has said that it can replace its link by another.
    var canRenewLink: Bool { state == .running && isLinkRenewable }

    private mutating func changePause(to paused: Bool, at now: Int64) -> [Action] {
        guard paused != isPaused, !isOver else { return [] }
        guard state == .running else {
            isPaused = paused
            return []
        }
        if paused {
            isPaused = true
            pauseDue = now + limits.settle
            return []
        }
        let pause = tellPause()
        isPaused = false
        return pause + [.send(.resume)] + announcePhase()
    }

    /// Tells the extension of the pause that it has not been told of.
    private mutating func tellPause() -> [Action] {
        guard pauseDue != nil else { return [] }
        pauseDue = nil
        return [.send(.pause)] + announcePhase()
    }

    private mutating func finish(at now: Int64) -> [Action] {
        guard !isOver else { return [] }
        isOver = true
        switch state {
        case .waiting(_, let after): return conclude(after ?? liveness.ending, at: now)
        case .launching: return killing(liveness.ending, at: now)
        case .starting, .running:
            state = .finishing(deadline: now + limits.finish)
            return stopFeeding() + [.send(.finish(seconds: Double(limits.finish) / 1e9)), enter(.finishing)]
        case .finishing, .going, .ended: return []
        }
    }

    /// Passes on what it asks of the encoder, where that is new and the last time is long enough ago.
    private mutating func tellEncoding(at now: Int64) -> [Action] {
        guard state == .running, status.encoding != toldEncoding, now >= nextEncoding else { return [] }
        toldEncoding = status.encoding
        nextEncoding = now + limits.encoding
        return [.requestEncoding(toldEncoding)]
    }

    private mutating func heard(_ report: ExtensionReport, at now: Int64) -> [Action] {
        guard hasLiveProcess else { return [] }
        switch report {
        case .started:
            return started(at: now)
        case .live(let isLive, let reason):
            liveness.heard(isLive: isLive, reason: reason)
            status.problem = liveness.problem
            return announcePhase(at: now)
        case .heartbeat:
            lastHeartbeat = now
            return []
        case .statistics(let statistics):
            status.statistics = statistics
            return []
        case .link(let link): return linked(BroadcastLinks(page: link), at: now)
        case .links(let links): return linked(links, at: now)
        case .state(let text):
            guard text != status.state else { return [] }
            status.state = text
            return allowance.takeOne(at: now) ? [.announce(.state(text))] : []
        case .warning(let text):
            return allowance.takeOne(at: now) ? [.announce(.warning(text))] : []
        case .needsKeyframe:
            guard state == .running, now >= nextKeyframe else { return [] }
            nextKeyframe = now + limits.keyframe
            return [.requestKeyframe]
        case .encoding(let request):
            status.encoding = request
            return tellEncoding(at: now)
        case .failed(let reason):
            return going(.failed(reason), at: now)
        case .finished:
            guard case .finishing = state else {
                return going(.failed("It says that it has finished, and the take goes on."), at: now)
            }
            return going(liveness.ending, at: now)
        }
    }

    private mutating func started(at now: Int64) -> [Action] {
        switch state {
        case .starting: break
        case .finishing:
            // The take ended meanwhile; it has been live all the same.
            liveness.started()
            return []
        case .waiting, .launching, .running, .going, .ended: return []
        }
        state = .running
        isFed = true
        liveness.started()
        // First live and then paused, also where the take is paused already: both are true.
        var actions = [.beginFeeding] + announce(liveness.phase)
        if let annotation { actions.append(.send(.annotate(annotation))) }
        if isPaused { actions += [.send(.pause)] + announcePhase() }
        return actions + tellEncoding(at: now)
    }

    private mutating func linked(_ links: BroadcastLinks, at now: Int64) -> [Action] {
        isLinkRenewable = links.isRenewable
        var actions: [Action] = []
        if links.page != status.link, allowance.takeOne(at: now) { actions.append(.announce(.link(links.page))) }
        if let player = links.player, player != status.playerLink, allowance.takeOne(at: now) {
            actions.append(.announce(.playerLink(player)))
        }
        (status.link, status.playerLink) = (links.page, links.player)
        return actions
    }

    private mutating func measured(_ resident: Int64, at now: Int64) -> [Action] {
        status.residentMemory = resident
        status.peakMemory = max(status.peakMemory, resident)
        let verdict = memory.measured(resident)
        guard hasLiveProcess else { return [] }
        switch verdict {
        case .fits: return []
        case .isNearLimit: return [.announce(.memoryWarning(resident: resident, limit: limits.memory))]
        case .exceedsLimit: return killing(memory.ending, at: now)
        }
    }

    private mutating func timePassed(at now: Int64) -> [Action] {
        switch state {
        case .waiting(let instant, _): return now >= instant ? [.launch] : []
        case .going(let ending, let deadline, false) where now >= deadline:
            state = .going(ending, deadline: deadline, killed: true)
            return [.kill]
        case .starting(let deadline) where now >= deadline:
            return killing(.stalled("did not start within \(ExtensionLimits.text(limits.start))"), at: now)
        case .finishing(let deadline) where now >= deadline:
            return killing(.stalled("did not finish within \(ExtensionLimits.text(limits.finish))"), at: now)
        case .running where heldSince.map { now >= $0 + limits.held } ?? false:
            return killing(.stalled("held a sample for \(ExtensionLimits.text(limits.held))"), at: now)
        case .starting, .running:
            if now >= lastHeartbeat + limits.heartbeat {
                return killing(.stalled("no heartbeat for \(ExtensionLimits.text(limits.heartbeat))"), at: now)
            }
            if let pauseDue, now >= pauseDue, state == .running { return tellPause() }
            let encoding = tellEncoding(at: now)
            if !encoding.isEmpty { return encoding }
        case .launching, .finishing, .going, .ended: break
        }
        if let closedAt, hasLiveProcess, now >= closedAt + limits.closedChannel {
            return killing(.crashed("closed its control channel"), at: now)
        }
        return []
    }

    private mutating func exited(
        _ ending: ChildProcess.Ending, lastWords: String?, cappedAt: Int64?, at now: Int64
    ) -> [Action] {
        status.pid = nil
        status.residentMemory = 0
        if let cappedAt {
            memory.capped(at: cappedAt)
            status.peakMemory = max(status.peakMemory, cappedAt)
        }
        switch state {
        case .going(let known, _, _): return conclude(known, at: now)
        case .launching, .starting, .running, .finishing:
            return conclude(cappedAt == nil ? .crash(ending, lastWords: lastWords) : memory.ending, at: now)
        case .waiting, .ended: return []
        }
    }

    /// The process is gone, or never was: a new one, or the end.
    private mutating func conclude(_ ending: DestinationEnding, at now: Int64) -> [Action] {
        let stop = stopFeeding()
        if !isOver, ending.mayPass, status.restarts < limits.restarts {
            status.restarts += 1
            state = .waiting(until: now + limits.restartDelay, after: ending)
            return stop + [.announce(.restarting(after: ending))]
        }
        state = .ended
        status.phase = .ended
        status.ending = ending
        return stop + [.announce(.ended(ending))]
    }

    /// It has said its last word: it may go by itself.
    private mutating func going(_ ending: DestinationEnding, at now: Int64) -> [Action] {
        state = .going(ending, deadline: now + limits.exit, killed: false)
        return stopFeeding()
    }

    private mutating func killing(_ ending: DestinationEnding, at now: Int64) -> [Action] {
        state = .going(ending, deadline: now, killed: true)
        return stopFeeding() + [.kill]
    }

    private mutating func stopFeeding() -> [Action] {
        // The wish of one that is not fed any more counts no more.
        (status.encoding, toldEncoding) = (.none, .none)
        guard isFed else { return [] }
        isFed = false
        return [.endFeeding]
    }

    /// Where a running destination stands, if that is new.
    private mutating func announcePhase() -> [Action] {
        guard state == .running else { return [] }
        return announce(isPaused && pauseDue == nil ? .paused : liveness.phase)
    }

    /// The same of one that may change its mind as often as it likes.
    private mutating func announcePhase(at now: Int64) -> [Action] {
        let actions = announcePhase()
        return actions.isEmpty || allowance.takeOne(at: now) ? actions : []
    }

    private mutating func announce(_ phase: DestinationPhase) -> [Action] {
        phase == status.phase ? [] : [enter(phase)]
    }

    private mutating func enter(_ phase: DestinationPhase) -> Action {
        status.phase = phase
        return .announce(.phase(phase))
    }
}
