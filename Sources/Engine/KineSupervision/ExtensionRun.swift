// The deadlines of one process of an extension. Pure.
import KineMedia
import KineServices
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
    /// When the engine ran again after a stop, which the extension is taken to have shared.
    private var resumedAt = Int64.min
    /// The instant at which it closed its control channel.
    var closedAt: Int64?
    var memory: MemoryWatch
    /// The extension's last request that was passed on to the encoder.
    var sentEncoding = EncodingRequest.none

    init(limits: ExtensionLimits, now: Int64) {
        lastHeartbeat = now
        memory = MemoryWatch(limit: limits.memory)
    }

    var isFinishing: Bool { if case .finishing = stage { true } else { false } }

    /// The latest instant to call `overdue`; nil: no deadline before the next event.
    func deadline(_ limits: ExtensionLimits) -> Int64? {
        let silence = max(lastHeartbeat, resumedAt) + limits.heartbeat
        let own: Int64? =
            switch stage {
            case .launching: nil
            case .starting(let deadline): min(deadline, silence)
            case .running: min(silence, heldSince.map { max($0, resumedAt) + limits.held } ?? .max)
            case .finishing(let deadline): deadline
            }
        return [own, closedAt.map { $0 + limits.closedChannel }].compactMap(\.self).min()
    }

    /// Gives the process the time again for which the engine did not run.
    mutating func resume(at now: Int64, after stop: Int64) {
        resumedAt = now
        switch stage {
        case .starting(let deadline): stage = .starting(deadline: deadline + stop)
        case .finishing(let deadline): stage = .finishing(deadline: deadline + stop)
        case .launching, .running: break
        }
    }

    /// The ending of a process that has missed a deadline, else nil.
    func overdue(at now: Int64, _ limits: ExtensionLimits) -> DestinationEnding? {
        switch stage {
        case .starting(let deadline) where now >= deadline:
            return .stalled("did not start within \(ExtensionLimits.text(limits.start))")
        case .finishing(let deadline) where now >= deadline:
            return .stalled("did not finish within \(ExtensionLimits.text(limits.finish))")
        case .running where heldSince.map { now >= max($0, resumedAt) + limits.held } ?? false:
            return .stalled("held a sample for \(ExtensionLimits.text(limits.held))")
        case .starting, .running:
            if now >= max(lastHeartbeat, resumedAt) + limits.heartbeat {
                return .stalled("no heartbeat for \(ExtensionLimits.text(limits.heartbeat))")
            }
        case .launching, .finishing: break
        }
        if let closedAt, now >= closedAt + limits.closedChannel { return .crashed("closed its control channel") }
        return nil
    }
}

/// Times are nanoseconds, memory is bytes.
struct ExtensionLimits: Sendable, Equatable {
    var start: Int64
    var heartbeat: Int64
    var held: Int64
    var finish: Int64
    var restartDelay: Int64
    var restarts: Int
    var memory: Int
    /// The time that a process has to exit after its last report.
    var exit: Int64 = 1_000_000_000
    /// The wait for the exit status of a process that has closed its control channel: the status explains more.
    var closedChannel: Int64 = 300_000_000
    /// The delay between a pause and the message to the extension. Audio from before the pause passes buffers and
    /// encoder meanwhile, so that the handler gets it before the pause.
    var settle: Int64 = 300_000_000
    /// The shortest time between two keyframe requests of an extension: each keyframe costs the recording bytes.
    var keyframe: Int64 = 2_000_000_000
    /// The shortest time between two changes of the encoding: each may cost a keyframe.
    var encoding: Int64 = 250_000_000
    /// The shortest time between two announcements of the service's information; the last change is always announced.
    var serviceInfo: Int64 = 250_000_000

    init(manifest: ServiceManifest, supervision: SupervisionLimits) {
        start = Self.nanoseconds(supervision.start)
        heartbeat = Self.nanoseconds(supervision.heartbeat)
        held = Self.nanoseconds(supervision.held)
        finish = Self.nanoseconds(manifest.finishSeconds)
        restartDelay = Self.nanoseconds(supervision.restartDelay)
        restarts = manifest.restarts
        memory = manifest.memoryLimit
    }

    private static func nanoseconds(_ seconds: Double) -> Int64 { Int64(max(0, min(seconds, 86400)) * 1e9) }

    /// A duration for a message: "5 s", "0.5 s".
    static func text(_ nanoseconds: Int64) -> String {
        let tenths = (nanoseconds + 50_000_000) / 100_000_000
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
