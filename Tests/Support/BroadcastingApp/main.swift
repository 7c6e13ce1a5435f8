// An app that broadcasts, for tests that kill it: it knows the public library and nothing else.
//
//   kinecast-broadcaster start SERVICE [KEY=VALUE…]    starts a broadcast, says so, and waits
//   kinecast-broadcaster find                          finds the app's broadcast, pauses, resumes and finishes it
import Foundation
import Kinecast

func say(_ words: String) {
    FileHandle.standardOutput.write(Data((words + "\n").utf8))
}

let app = AppIdentity(identifier: CommandLine.arguments[1])
do {
    switch CommandLine.arguments[2] {
    case "start":
        let pairs = CommandLine.arguments.dropFirst(4).compactMap { word -> (String, String)? in
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
        let service = try await BroadcastServices().service(CommandLine.arguments[3])
        let setup = try BroadcastSetup(service, values: Dictionary(uniqueKeysWithValues: pairs))
        let controller = BroadcastController(setup, app: app)
        controller.scope = .virtual(PixelSize(width: 320, height: 240))
        try await controller.startBroadcast(countdown: 0)
        say("started \(controller.take ?? "nothing")")
        for await event in controller.events { say("\(event)") }
    default:
        for controller in try await BroadcastController.find(app: app) {
            say("found \(controller.take ?? "nothing") of \(controller.extensionIdentifier)")
            try await controller.pauseBroadcast()
            say("paused \(controller.isPaused)")
            try await controller.resumeBroadcast()
            try await controller.finishBroadcast()
            say("finished")
        }
        say("done")
    }
} catch {
    say("failed: \(error)")
    exit(1)
}
