// kinecast-meter: an extension that measures. It takes uncompressed frames, notes when each reached its handler, and writes
// an account of itself when the broadcast is over. Nothing else of the package is in it, so that its memory is an extension's.
import FrameMeter
import KinePlatform
import KinecastExtension

/// Setup fields: `report`, the file to write; `read`, "all" to read every byte of every frame, as an encoder would.
@main
final class Meter: BroadcastSampleHandler {
    private var reportPath = ""
    private var meter = FrameMeter(readsAll: false)

    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        reportPath = setupInfo["report"] ?? ""
        meter = FrameMeter(readsAll: setupInfo["read"] == "all")
    }

    override func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {
        let now = MonotonicClock.now()
        if sampleBufferType == .video { meter.note(sampleBuffer, at: now) }
    }

    override func broadcastFinished() async { meter.write(to: reportPath) }
}
