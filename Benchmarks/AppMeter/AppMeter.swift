// kinecast-appmeter: an app that captures its screen by the library, and notes when each frame reached its handler. It prints
// "take ID" when the first frame is there, and an account of itself when its standard input has ended.
import FrameMeter
import Glibc
import KinePlatform
import Kinecast
import Synchronization

@main
enum AppMeter {
    static func main() async throws {
        let meter = Mutex(FrameMeter(readsAll: CommandLine.arguments.contains("--read-all")))
        let recorder = ScreenRecorder.shared
        recorder.scope = .screen
        recorder.framesPerSecond = 60
        recorder.showsCursor = false
        let request = SampleRequest(video: .raw(pixelFormat: .i420, maximumSize: nil, framesPerSecond: nil))
        let start = try await recorder.startCapture(request) { sample, type in
            let now = MonotonicClock.now()
            if type == .video { meter.withLock { $0.note(sample, at: now) } }
        }
        print("take \(start.take)")
        fflush(nil)
        while readLine() != nil {}
        try await recorder.stopCapture()
        print(meter.withLock { $0.report() }, terminator: "")
    }
}
