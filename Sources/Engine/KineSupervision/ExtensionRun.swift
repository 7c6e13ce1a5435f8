// The deadlines of one process of an extension. Pure.
import KineMedia
import KineWire

/// A process from its launch until its ending is known. Instants are nanoseconds of CLOCK_MONOTONIC.
struct ExtensionRun: Sendable, Equatable {
    enum Stage: Sendable, Equatable {
        /// Started, and waiting for the take's formats.
        case launching
        case starting(deadline: Int64)
        /// It gets samples.
        case running
        case finishing(deadline: Int64)
    }

    var stage = Stage.launching
    var lastHeartbeat: Int64
    /// The instant since which it has held a sample; nil: it holds none.
    var heldSince: Int64?
    /// The instant at which it closed its control channel.
    var closedAt: Int64?
    var memory: MemoryWatch
    /// The request that the encoder was given on its behalf.
    var toldEncoding = EncodingRequest.none

    init(limits: ExtensionLimits, now: Int64) {
        lastHeartbeat = now
        memory = MemoryWatch(limit: limits.memory)
    }

    /// The latest instant to call `overdue`; nil: not before the next event.
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

    /// The ending of a process that has missed a deadline; nil: it has missed none.
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
