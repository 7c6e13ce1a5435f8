import Foundation
import Kinecast

@main
enum Sketch {
    static func main() async throws {
        let recorder = ScreenRecorder(app: AppIdentity(identifier: "org.example.Sketch", name: "Sketch"))
        recorder.scope = .virtual(PixelSize(width: 1280, height: 720))
        for preview in try await recorder.unsavedRecordings() {
            print("From an earlier run: \(preview.duration) in", preview.url?.path ?? "")
        }
        let events = recorder.events
        Task {
            for await case .stopped(let preview, let error) in events {
                print(error?.message ?? "Somebody stopped the recording.", preview?.url?.path ?? "")
            }
        }

        let start = try await recorder.startRecording()
        print("Recording \(start.size). A program appears there with", start.environment)
        try await Task.sleep(for: .seconds(5))

        let preview = try await recorder.stopRecording()
        try await preview.save(to: URL(filePath: "sketch.mp4"))
        print("Saved \(preview.duration) of it.")
    }
}
