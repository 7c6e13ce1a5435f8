// The limits of one extension, in the units of its state machine.
import KineMedia
import KineServices
import KineWire

/// Times are nanoseconds, memory is bytes.
struct ExtensionLimits: Sendable, Equatable {
    var start: Int64
    var heartbeat: Int64
    var held: Int64
    var finish: Int64
    var restartDelay: Int64
    var restarts: Int
    var memory: Int
    /// The time for a process to exit by itself after its last report.
    var exit: Int64 = 1_000_000_000
    /// The wait for the exit status of a process that has closed its control channel: the status tells more.
    var closedChannel: Int64 = 300_000_000
    /// The time from a pause until the extension is told. Audio captured before the pause passes buffers and encoder meanwhile,
    /// so the handler gets it before the pause too.
    var settle: Int64 = 300_000_000
    /// The shortest time between two keyframes that an extension asks for: each costs the recording bytes.
    var keyframe: Int64 = 2_000_000_000
    /// The shortest time between two changes of the encoding: each may cost a keyframe.
    var encoding: Int64 = 250_000_000
    /// The shortest time between two changes of the service's information that are passed on; the last one always is.
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

    /// A time as people write it: "5 s", "0.5 s".
    static func text(_ nanoseconds: Int64) -> String {
        let tenths = (nanoseconds + 50_000_000) / 100_000_000
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
