// A handler that records its callbacks.
import CLinux
import Glibc
import KinecastExtension
import KinecastExtensionTesting

struct Refusal: Error, CustomStringConvertible {
    var description = "The server at example.org refuses the key; set another with --set key=…."
}

class RecordingHandler: BroadcastSampleHandler {
    private(set) var calls: [String] = []
    private(set) var threads: Set<UInt> = []
    /// Set while a callback runs.
    private var isInside = false
    private(set) var hasOverlapped = false

    func enter(_ call: String) {
        calls.append(call)
        threads.insert(UInt(pthread_self()))
        if isInside { hasOverlapped = true }
        isInside = true
    }

    func leave() { isInside = false }

    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        enter("started \(setupInfo["url"] ?? "")")
        defer { leave() }
        if setupInfo["refuse"] != nil { throw Refusal() }
        if setupInfo["sleep"] != nil { try await Task.sleep(nanoseconds: 1_000_000) }
    }

    override func broadcastPaused() async {
        enter("paused")
        leave()
    }

    override func broadcastResumed() async {
        enter("resumed")
        leave()
    }

    override func broadcastAnnotated(withApplicationInfo applicationInfo: [String: String]) async {
        enter("annotated \(applicationInfo["title"] ?? "")")
        leave()
    }

    override func broadcastScreenLocked(_ isLocked: Bool) async {
        enter(isLocked ? "locked" : "unlocked")
        leave()
    }

    override func broadcastFinished() async {
        enter("finished")
        leave()
    }

    override func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {
        enter("\(sampleBufferType)")
        // The handler's thread is not blocked meanwhile, but no other callback may begin.
        await Task.yield()
        try? await Task.sleep(nanoseconds: 100_000)
        leave()
    }
}
