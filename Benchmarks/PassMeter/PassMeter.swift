// kinecast-passmeter: an extension that measures, as kinecast-meter does, and passes its frames on to the apps of a group.
import FrameMeter
import KinePlatform
import KinecastExchange
import KinecastExtension

/// Setup fields: `group`, the group; `report`, the file to write; `read`, "all" to read every byte of every frame.
@main
final class PassMeter: BroadcastSampleHandler {
    private var reportPath = ""
    private var meter = FrameMeter(readsAll: false)
    private var sender: FrameSender?

    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        reportPath = setupInfo["report"] ?? ""
        meter = FrameMeter(readsAll: setupInfo["read"] == "all")
        sender = try FrameSender(group: GroupContainer(identifier: setupInfo["group"] ?? ""))
    }

    override func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {
        let now = MonotonicClock.now()
        guard sampleBufferType == .video else { return }
        await sender?.send(sampleBuffer)
        // After that, so that the app does not wait for the measurement.
        meter.note(sampleBuffer, at: now)
    }

    override func broadcastFinished() async { meter.write(to: reportPath) }
}
