// One process of an extension, as the clock judges it. Pure.
import KineControl
import KineRelay

/// From the launch of the process until it is known how it ends. Instants are nanoseconds of CLOCK_MONOTONIC.
struct ExtensionRun: Sendable, Equatable {
    enum Stage: Sendable, Equatable {
        /// Started, and waiting for the take's formats.
        case launching
        case starting(deadline: Int64)
        /// It is fed.
        case running
        case finishing(deadline: Int64)
    }

    var stage = Stage.launching
    var lastHeartbeat: Int64
    /// Since when it has held a sample.
    var heldSince: Int64?
    /// When its end of the control channel was closed.
    var closedAt: Int64?
    var memory: MemoryWatch
    /// What the encoder was asked for on its behalf.
    var toldEncoding = EncodingRequest.none

    init(limits: ExtensionLimits, now: Int64) {
        lastHeartbeat = now
        memory = MemoryWatch(limit: limits.memory)
    }

    /// When `overdue` has to be asked at the latest; nil: never by itself.
    func deadline(_ limits: ExtensionLimits) -> Int64? {
        let silence = lastHeartbeat + limits.heartbeat
        let own: Int64? =
            switch stage {
            case .launching: nil
            case .starting(let deadline): min(deadline, silence)
            case .running: min(silence, heldSince.map { $0 + limits.held } ?? .max)
            case .finishing(let deadline): deadline
            }
        return [own, closedAt.map { $0 + limits.closedChannel }].compactMap(\.self).min()
    }

    /// What it should have done by now and did not; nil: nothing.
    func overdue(at now: Int64, _ limits: ExtensionLimits) -> DestinationEnding? {
        switch stage {
        case .starting(let deadline) where now >= deadline:
            return .stalled("did not start within \(ExtensionLimits.text(limits.start))")
        case .finishing(let deadline) where now >= deadline:
            return .stalled("did not finish within \(ExtensionLimits.text(limits.finish))")
        case .running where heldSince.map { now >= $0 + limits.held } ?? false:
            return .stalled("held a sample for \(ExtensionLimits.text(limits.held))")
        case .starting, .running:
            if now >= lastHeartbeat + limits.heartbeat {
                return .stalled("no heartbeat for \(ExtensionLimits.text(limits.heartbeat))")
            }
        case .launching, .finishing: break
        }
        if let closedAt, now >= closedAt + limits.closedChannel { return .crashed("closed its control channel") }
        return nil
    }
}
