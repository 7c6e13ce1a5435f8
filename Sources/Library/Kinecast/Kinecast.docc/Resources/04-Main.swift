import Foundation
import Kinecast

@main
enum Sketch {
    static func main() async throws {
        let recorder = ScreenRecorder(app: AppIdentity(identifier: "org.example.Sketch", name: "Sketch"))
        recorder.scope = .virtual(PixelSize(width: 1280, height: 720))

        let start = try await recorder.startRecording()
        print("Recording \(start.size). A program appears there with", start.environment)
        try await Task.sleep(for: .seconds(5))

        let preview = try await recorder.stopRecording()
        try await preview.save(to: URL(filePath: "sketch.mp4"))
        print("Saved \(preview.duration) of it.")
    }
}
