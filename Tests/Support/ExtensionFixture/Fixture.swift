// An upload extension in a process of its own. Its setup info says how it behaves.
import Glibc
import KinecastExtension

struct FixtureError: Error, CustomStringConvertible {
    var description: String
}

@main
final class Fixture: BroadcastSampleHandler {
    private var setupInfo: [String: String] = [:]
    private var sum = 0

    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        self.setupInfo = setupInfo
        // The main actor can be used.
        if setupInfo["main"] != nil { await MainActor.run { self.report(state: "main") } }
    }

    override func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {
        // Reads every page, as a real extension does.
        _ = sampleBuffer.withPixels { pixels in
            for plane in 0..<pixels.planeCount {
                for row in 0..<pixels[plane: plane].rows { sum &+= Int(pixels[plane: plane].row(row)[0]) }
            }
        }
        switch setupInfo["sample"] {
        case "hang":
            viewers = 1
            hang()
        case "fail and hang":
            let handler = self
            Task.detached { handler.finishBroadcastWithError(FixtureError(description: "Gave up.")) }
            hang()
        default: break
        }
    }

    override func broadcastFinished() async {
        if setupInfo["finish"] == "hang" { hang() }
    }

    private func hang() {
        while true { sleep(1000) }
    }
}
