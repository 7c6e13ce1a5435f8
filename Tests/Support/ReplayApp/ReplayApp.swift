// An app as for ReplayKit: one button broadcasts it, another records it, and the recording is then shown to the person. A line of
// standard input is a click on the button of that name. Standard output says what the library answers. Its argument is a program that
// draws in a recording.
import Foundation
import Kinecast

@main
enum ReplayApp {
    static func main() async {
        let clicks = AsyncStream<String> { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
        let app = App()
        for await button in clicks { Task { await app.click(button) } }
    }
}

private actor App {
    private static let size = PixelSize(width: 640, height: 360)

    private let recorder = ScreenRecorder.shared
    private let picker = BroadcastPicker()
    private var controller: BroadcastController?
    private var preview: RecordingPreview?
    private let drawing = Process()

    func click(_ button: String) async {
        do {
            switch button {
            case "broadcast": try await broadcast()
            case "find":
                controller = try await BroadcastController.find().first
                say("found \(controller?.extensionIdentifier ?? "none"), \(controller?.isBroadcasting == true)")
            case "finish":
                _ = try await controller?.finishBroadcast()
                say("finished")
            case "record":
                recorder.scope = .virtual(Self.size)
                let start = try await recorder.startRecording()
                try draw(start.environment)
                say("recording")
            case "stop":
                drawing.terminate()
                preview = try await recorder.stopRecording()
                say("recorded")
            case "preview": try await show()
            default: say("There is no button \(button).")
            }
        } catch let error as BroadcastError {
            say("\(button): \(error.code.rawValue): \(error.message)")
        } catch {
            say("\(button): \(error)")
        }
    }

    private func broadcast() async throws {
        picker.preferredService = "live"
        let controller = try await picker.present()
        controller.scope = .virtual(Self.size)
        controller.camera = Camera(device: "pattern")
        self.controller = controller
        say("chosen \(controller.extensionIdentifier), \(controller.isMicrophoneEnabled)")
        try await controller.startBroadcast()
        say("live")
    }

    private func draw(_ variables: [String]) throws {
        drawing.executableURL = URL(filePath: CommandLine.arguments[1])
        drawing.arguments = ["flash", "--random"]
        drawing.environment = variables.reduce(into: ProcessInfo.processInfo.environment) { environment, variable in
            let parts = variable.split(separator: "=", maxSplits: 1).map(String.init)
            environment[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        try drawing.run()
    }

    private func show() async throws {
        guard let preview else { return say("There is no recording.") }
        switch try await preview.present(activities: [Post()]) {
        case .finished(let activities): say("finished \(activities.map(\.rawValue).sorted().joined(separator: " "))")
        case .cancelled: say("cancelled")
        case .windowClosed: say("closed")
        }
        say("at \(preview.url?.path ?? "none")")
    }
}

private struct Post: ShareActivity {
    let type = ShareActivityType(rawValue: "org.example.post")
    let title = "Post to the Forum"

    func perform(
        with recording: SharedRecording, progress: @escaping @Sendable (ShareProgress) -> Void
    ) async throws -> URL? {
        say("posted \(recording.byteCount > 0)")
        return nil
    }
}

/// Writes a line at once.
private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
