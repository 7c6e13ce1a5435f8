import Foundation
import Kinecast

@main
enum Sketch {
    static func main() async throws {
        let recorder = ScreenRecorder(app: AppIdentity(identifier: "org.example.Sketch", name: "Sketch"))
        recorder.scope = .virtual(PixelSize(width: 1280, height: 720))
    }
}
