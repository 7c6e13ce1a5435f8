// An extension that passes its samples on to the processes of a group, and tries to enter another one.
import Glibc
import KinecastExchange
import KinecastExtension

@main
final class Passer: BroadcastSampleHandler {
    private var sender: FrameSender?
    private var passed = 0
    /// The time of each frame and a sum of its middle row, for comparison.
    private var sums: [String] = []

    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        if let name = setupInfo["group"] {
            let group = try GroupContainer(identifier: name)
            let policy: FrameSender.Policy = setupInfo["wait"] == nil ? .newest : .everyFrame(wait: .seconds(1))
            sender = try FrameSender(group: group, policy: policy)
            try group.publish(Array("from the extension".utf8), as: "greeting")
            try SharedDefaults(group: group).set("started", forKey: "state")
            try CrossProcessNotifications(group: group).post("started")
        }
        if let other = setupInfo["other"] {
            do throws(GroupError) {
                _ = try GroupContainer(identifier: other)
                report(state: "entered \(other)")
            } catch {
                report(state: "\(error)")
            }
        }
        if let path = setupInfo["path"] {
            let file = fopen(path, "r")
            report(state: file == nil ? "no \(errno)" : "read it")
            if let file { fclose(file) }
        }
    }

    override func processSampleBuffer(
        _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
    ) async {
        guard let sender else { return }
        let sum = sampleBuffer.withPixels { pixels in
            pixels[plane: 0].row(pixels.visibleSize.height / 2).withUnsafeBufferPointer { row in
                row.reduce(UInt64(0)) { $0 &* 31 &+ UInt64($1) }
            }
        }
        if let sum { sums.append("\(sampleBuffer.presentationTime.nanoseconds) \(sum)") }
        if await sender.send(sampleBuffer) == .delivered, sampleBufferType == .video { passed += 1 }
        let counts = sender.counts
        updateServiceInfo(["passed": "\(passed)", "lost": "\(counts.framesLost)", "receivers": "\(counts.receivers)"])
    }

    override func broadcastFinished() async {
        try? sender?.group.publish(Array(sums.joined(separator: "\n").utf8), as: "sums")
    }
}
