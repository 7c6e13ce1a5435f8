// kinecast-receivermeter: an app that receives the frames that an extension of its group passes on, and notes when each reached
// its handler. It prints "ready", "connected" when an extension is there, and an account of itself when its standard input has
// ended.
//
//   kinecast-receivermeter GROUP [--read-all]
import FrameMeter
import KinePlatform
import KinecastExchange
import Synchronization
import SystemPackage

@main
enum ReceiverMeter {
    static func main() async throws {
        let words = CommandLine.arguments
        let meter = Mutex(FrameMeter(readsAll: words.contains("--read-all")))
        let group = try GroupContainer(identifier: words.count > 1 ? words[1] : "")
        let receiver = try FrameReceiver(group: group) { sample, type in
            let now = MonotonicClock.now()
            if type == .video { meter.withLock { $0.note(sample, at: now) } }
        }
        say("ready")
        // Elsewhere than on the main thread, which reads standard input and blocks.
        Task.detached {
            for await event in receiver.events {
                switch event {
                case .connected: say("connected")
                case .disconnected: break
                case .refused(let reason, _): say("refused: \(reason)")
                }
            }
        }
        while readLine() != nil {}
        let lost = receiver.counts.framesLost
        receiver.end()
        print(meter.withLock { $0.report(notes: ["lost \(lost)"]) }, terminator: "")
    }

    /// Prints a line at once. Not by flushing: that would wait for the lock of standard input, which a thread is reading.
    private static func say(_ line: String) { _ = try? FileDescriptor.standardOutput.writeAll("\(line)\n".utf8) }
}
