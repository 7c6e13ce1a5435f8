// The confined half: it passes every sample on to the app, and copies none.
import KinecastExchange
import KinecastExtension

@main
final class HostEncodeExtension: BroadcastSampleHandler {
    private var sender: FrameSender?

    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        let group = try GroupContainer(identifier: "org.kinecast.example.hostencode")
        sender = try FrameSender(group: group, policy: .newest)
    }

    override func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {
        await sender?.send(sampleBuffer)
    }
}
