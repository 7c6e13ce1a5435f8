// The life of one destination, from the start of its extension to its end, with faults and restarts. No clock, no
// process, no I/O: events carry the time, and the driver (ExtensionSupervisor) carries out the actions.
import KineMedia
import KinePlatform
import KineWire

/// The pure part of a destination's supervision. Instants are nanoseconds of CLOCK_MONOTONIC.
package struct ExtensionStateMachine: Sendable {
    private enum State: Sendable, Equatable {
        /// The next process starts at `until`. `after`: the ending of the previous one.
        case waiting(until: Int64, after: DestinationEnding?)
        case active(ExtensionRun)
        /// The ending is known. The process may exit by itself until `killAt`; nil: it was killed. `isLast`: the take
        /// is over too, so no process follows.
        case leaving(DestinationEnding, killAt: Int64?, isLast: Bool)
        case ended
    }

    /// The destination's status, without the counts of its feeds, which the driver adds.
    private(set) var status: DestinationStatus
    private let limits: ExtensionLimits
    private var state: State
    private var pause = Pause.none
    private var liveness = Liveness()
    private var annotation: [String: String]?
    private var isScreenLocked = false
    private var isLinkRenewable = false
    /// Limits announcements of phases, links and state. The newest of each waits until the limit allows it.
    private var allowance = RateAllowance(most: 20, interval: 250_000_000)
    private var warningAllowance = RateAllowance(most: 20, interval: 250_000_000)
    private var logAllowance = RateAllowance(most: 100, interval: 50_000_000)
    /// The log lines dropped since the last announced one.
    private var linesLeftOut = 0
    /// The last announced phase, links, state and service's information.
    private var announced: DestinationStatus
    private var nextKeyframe = Int64.min
    private var nextEncoding = Int64.min
    private var nextServiceInfo = Int64.min

    /// The first `timePassed` at `now` or later launches the process. `status` has the phase `launching`.
    init(status: DestinationStatus, limits: ExtensionLimits, now: Int64) {
        self.status = status
        self.limits = limits
        self.status.memoryLimit = limits.memory
        announced = status
        state = .waiting(until: now, after: nil)
    }

    var isEnded: Bool { state == .ended }

    /// The extension runs and can replace its link.
    var canRenewLink: Bool { isRunning && isLinkRenewable }

    /// The instant of the last heartbeat; nil: no process runs.
    // Swift 6.3.1 crashes where an optimised build inlines this ("Found outside of lifetime use", CopyPropagation).
    @inline(never)
    var lastHeartbeat: Int64? { run?.lastHeartbeat }

    /// The process; nil once its ending is known.
    private var run: ExtensionRun? {
        if case .active(let run) = state { run } else { nil }
    }

    /// `broadcastStarted` has returned, and the take continues.
    var isRunning: Bool { run?.stage == .running }

    /// The latest instant for `timePassed`; nil: no deadline before the next event.
    var nextDeadline: Int64? {
        switch state {
        case .waiting(let instant, _): return instant
        case .leaving(_, let killAt, _): return killAt
        case .ended: return nil
        case .active(let run):
            var deadlines = [run.deadline(limits)]
            if run.stage == .running {
                if case .settling(let instant) = pause { deadlines.append(instant) }
                if status.encoding != run.sentEncoding { deadlines.append(nextEncoding) }
            }
            if status.phase != announced.phase || !unannouncedTexts.isEmpty { deadlines.append(allowance.next) }
            if status.serviceInfo != announced.serviceInfo { deadlines.append(nextServiceInfo) }
            return deadlines.compactMap(\.self).min()
        }
    }

    mutating func handle(_ event: Event, at now: Int64) -> [Action] {
        switch event {
        case .timePassed: return timePassed(at: now)
        case .resumed(let stop):
            change { $0.resume(at: now, after: stop) }
            return []
        case .launched(let pid): return launched(pid: pid, at: now)
        case .impossible(let reason, let code):
            guard case .waiting = state else { return killing(.failed(reason)) }
            status.code = code
            return conclude(.failed(reason), isLast: false, at: now)
        case .startSent:
            guard run?.stage == .launching else { return [] }
            let deadline = now + limits.start
            change {
                $0.stage = .starting(deadline: deadline)
                $0.lastHeartbeat = now
            }
            return [enter(.starting)]
        case .report(.statistics(let statistics)):
            // The last statistics may come after the ending is known.
            if !isEnded { status.statistics = statistics }
            return []
        case .report(let report): return run == nil ? [] : handleReport(report, at: now)
        case .memory(let resident): return measured(resident)
        case .held(let since):
            change { $0.heldSince = since }
            return []
        case .protocolViolation(let what): return killing(.crashed(what))
        // A new process begins with the new format.
        case .formatOutgrown: return killing(.stalled("did not follow the video's new format"))
        case .channelClosed:
            change { $0.closedAt = $0.closedAt ?? now }
            return []
        case .exited(let ending, let stderrTail, let peak):
            return exited(ending, stderrTail: stderrTail, cappedAt: peak, at: now)
        case .pauseRequested:
            guard pause == .none else { return [] }
            pause = isRunning ? .settling(until: now + limits.settle) : .told
            return []
        case .resumeRequested:
            let told = sendPause()
            guard pause != .none else { return [] }
            pause = .none
            return isRunning ? told + [.send(.resume)] + announcePhase() : []
        case .annotateRequested(let info):
            annotation = info
            return isRunning ? [.send(.annotate(info))] : []
        case .linkRenewalRequested: return canRenewLink ? [.send(.renewLink)] : []
        case .removalRequested:
            status.isRemoved = true
            liveness.isRemoved = true
            return finish(at: now)
        case .screenLockChanged(let isLocked):
            isScreenLocked = isLocked
            return isRunning ? [.send(.screenLocked(isLocked))] : []
        case .finishRequested: return finish(at: now)
        }
    }

    private mutating func launched(pid: Int32, at now: Int64) -> [Action] {
        guard case .waiting = state else { return [.kill] }
        state = .active(ExtensionRun(limits: limits, now: now))
        if case .settling = pause { pause = .told }
        liveness.processLaunched()
        status.pid = pid
        return [enter(.launching)]
    }

    private mutating func timePassed(at now: Int64) -> [Action] {
        switch state {
        case .waiting(let instant, _): return now >= instant ? [.launch] : []
        case .leaving(let ending, let killAt?, let isLast) where now >= killAt:
            state = .leaving(ending, killAt: nil, isLast: isLast)
            return [.kill]
        case .leaving, .ended: return []
        case .active(let run):
            if let ending = run.overdue(at: now, limits) { return killing(ending) }
            if case .settling(let instant) = pause, now >= instant, run.stage == .running { return sendPause() }
            return tellEncoding(at: now) + announceChanges(at: now) + tellServiceInfo(at: now)
        }
    }

    private mutating func finish(at now: Int64) -> [Action] {
        switch state {
        case .waiting(_, let after): return conclude(after ?? liveness.ending, isLast: true, at: now)
        case .leaving(let ending, let killAt, _): state = .leaving(ending, killAt: killAt, isLast: true)
        case .ended: break
        case .active(let run):
            switch run.stage {
            case .launching: return killing(liveness.ending, isLast: true)
            case .finishing: break
            case .starting, .running:
                let actions = stopFeeding()
                let deadline = now + limits.finish
                change { $0.stage = .finishing(deadline: deadline) }
                return actions + [.send(.finish(seconds: Double(limits.finish) / 1e9)), enter(.finishing)]
            }
        }
        return []
    }

    private mutating func measured(_ resident: Int) -> [Action] {
        status.residentMemory = resident
        status.peakMemory = max(status.peakMemory, resident)
        guard var memory = run?.memory else { return [] }
        let verdict = memory.measured(resident)
        change { $0.memory = memory }
        switch verdict {
        case .fits: return []
        case .isNearLimit: return [.announce(.memoryWarning(resident: resident, limit: limits.memory))]
        case .exceedsLimit: return killing(memory.ending)
        }
    }

    private mutating func exited(
        _ ending: ChildProcess.Ending, stderrTail: String?, cappedAt: Int?, at now: Int64
    ) -> [Action] {
        status.pid = nil
        status.residentMemory = 0
        if let cappedAt { status.peakMemory = max(status.peakMemory, cappedAt) }
        switch state {
        case .leaving(let known, _, let isLast): return conclude(known, isLast: isLast, at: now)
        case .active(var run):
            if let cappedAt { run.memory.capped(at: cappedAt) }
            return conclude(
                cappedAt == nil ? .crash(ending, stderrTail: stderrTail) : run.memory.ending, isLast: run.isFinishing,
                at: now)
        case .waiting, .ended: return []
        }
    }

    /// The process has ended, or could not start. Starts a new one or ends the destination.
    private mutating func conclude(_ ending: DestinationEnding, isLast: Bool, at now: Int64) -> [Action] {
        let stop = stopFeeding()
        if !isLast, ending.mayPass, status.restarts < limits.restarts {
            status.restarts += 1
            state = .waiting(until: now + limits.restartDelay, after: ending)
            return stop + [.announce(.restarting(after: ending))]
        }
        state = .ended
        status.phase = .ended
        status.ending = ending
        if !ending.isFailure { status.code = nil }
        return stop + [.announce(.ended(ending))]
    }

    /// The process has sent its last report and may exit by itself.
    private mutating func leaving(
        _ ending: DestinationEnding, _ code: ProblemCode? = nil, at now: Int64
    ) -> [Action] {
        guard let run else { return [] }
        status.code = code
        let stop = stopFeeding()
        state = .leaving(ending, killAt: now + limits.exit, isLast: run.isFinishing)
        return stop
    }

    /// Kills the process, unless its ending is known already.
    private mutating func killing(_ ending: DestinationEnding, isLast: Bool = false) -> [Action] {
        guard let run else { return [] }
        status.code = nil
        let stop = stopFeeding()
        state = .leaving(ending, killAt: nil, isLast: isLast || run.isFinishing)
        return stop + [.kill]
    }

    /// Also drops the extension's request to the encoder. Call before the state changes.
    private mutating func stopFeeding() -> [Action] {
        status.encoding = .none
        change { $0.sentEncoding = .none }
        return isRunning ? [.endFeeding] : []
    }

    private mutating func change(_ body: (inout ExtensionRun) -> Void) {
        guard var run else { return }
        body(&run)
        state = .active(run)
    }

    private mutating func handleReport(_ report: ExtensionReport, at now: Int64) -> [Action] {
        switch report {
        case .started: return started(at: now)
        case .live(let isLive, let reason, let code):
            liveness.update(isLive: isLive, reason: reason, code: code)
            (status.problem, status.code) = (liveness.problem, liveness.code)
            if isRunning { status.phase = currentPhase }
            return announceChanges(at: now)
        case .heartbeat: change { $0.lastHeartbeat = now }
        case .links(let links): return linked(links, at: now)
        case .state(let text):
            status.state = text
            return announceChanges(at: now)
        case .warning(let text, let code):
            if warningAllowance.consume(at: now) { return [.announce(.warning(text), code: code)] }
        case .log(let line): return logged(line, at: now)
        case .serviceInfo(let info):
            status.serviceInfo = info
            return tellServiceInfo(at: now)
        case .needsKeyframe:
            guard isRunning, now >= nextKeyframe else { break }
            nextKeyframe = now + limits.keyframe
            return [.requestKeyframe]
        case .encoding(let request):
            status.encoding = request
            return tellEncoding(at: now)
        // `handle` has noted the statistics; the supervisor passes on requests to the desktop.
        case .statistics, .desktop: break
        case .failed(let reason, let code): return leaving(.failed(reason), code, at: now)
        case .finished:
            guard let run, run.isFinishing else {
                return leaving(.failed("It says that it has finished, and the take goes on."), at: now)
            }
            return leaving(liveness.ending, liveness.code, at: now)
        }
        return []
    }

    private mutating func started(at now: Int64) -> [Action] {
        switch run?.stage {
        case .starting: break
        case .finishing:
            // The take ended meanwhile, but the destination has been live.
            liveness.started()
            return []
        case .launching, .running, nil: return []
        }
        change { $0.stage = .running }
        liveness.started()
        // In a paused take both phases are announced, first live, then paused.
        var actions = [.beginFeeding] + announce(liveness.phase)
        if let annotation { actions.append(.send(.annotate(annotation))) }
        if isScreenLocked { actions.append(.send(.screenLocked(true))) }
        if pause == .told { actions += [.send(.pause)] + announcePhase() }
        return actions + tellEncoding(at: now)
    }

    private mutating func logged(_ line: ExtensionLogLine, at now: Int64) -> [Action] {
        guard logAllowance.consume(at: now) else {
            linesLeftOut += 1
            return []
        }
        let gap = linesLeftOut
        linesLeftOut = 0
        let notice = ExtensionLogLine(.warning, "\(gap) lines before this one were left out.")
        return (gap > 0 ? [.announce(.log(notice))] : []) + [.announce(.log(line))]
    }

    private mutating func linked(_ links: BroadcastLinks, at now: Int64) -> [Action] {
        isLinkRenewable = links.isRenewable
        (status.link, status.playerLink) = (links.page, links.player)
        return announceChanges(at: now)
    }

    /// Announces the changes that the extension has reported, as many as are allowed now; the others wait.
    private mutating func announceChanges(at now: Int64) -> [Action] {
        var actions: [Action] = []
        if status.phase != announced.phase, allowance.consume(at: now) { actions.append(enter(status.phase)) }
        for part in unannouncedTexts where allowance.consume(at: now) {
            announced[keyPath: part] = status[keyPath: part]
            let text = status[keyPath: part] ?? ""
            let kind: DestinationEvent.Kind =
                part == \.link ? .link(text) : part == \.playerLink ? .playerLink(text) : .state(text)
            actions.append(.announce(kind))
        }
        return actions
    }

    private var unannouncedTexts: [WritableKeyPath<DestinationStatus, String?>] {
        [\.link, \.playerLink, \.state].filter { part in
            status[keyPath: part].map { $0 != announced[keyPath: part] } ?? false
        }
    }

    /// Passes a new request on to the encoder, unless the previous request is too recent.
    private mutating func tellEncoding(at now: Int64) -> [Action] {
        guard let run, run.stage == .running, status.encoding != run.sentEncoding, now >= nextEncoding else {
            return []
        }
        let request = status.encoding
        change { $0.sentEncoding = request }
        nextEncoding = now + limits.encoding
        return [.requestEncoding(request)]
    }

    /// Announces new information of the service, unless the last announcement is too recent.
    private mutating func tellServiceInfo(at now: Int64) -> [Action] {
        guard run != nil, status.serviceInfo != announced.serviceInfo, now >= nextServiceInfo else { return [] }
        announced.serviceInfo = status.serviceInfo
        nextServiceInfo = now + limits.serviceInfo
        return [.announce(.serviceInfo(status.serviceInfo ?? [:]))]
    }

    /// Sends the pause to the extension, unless it was sent before.
    private mutating func sendPause() -> [Action] {
        guard case .settling = pause, isRunning else { return [] }
        pause = .told
        return [.send(.pause)] + announcePhase()
    }

    private var currentPhase: DestinationPhase { pause == .told ? .paused : liveness.phase }

    private mutating func announcePhase() -> [Action] { isRunning ? announce(currentPhase) : [] }

    private mutating func announce(_ phase: DestinationPhase) -> [Action] {
        phase == announced.phase ? [] : [enter(phase)]
    }

    private mutating func enter(_ phase: DestinationPhase) -> Action {
        status.phase = phase
        announced.phase = phase
        return .announce(.phase(phase))
    }
}
