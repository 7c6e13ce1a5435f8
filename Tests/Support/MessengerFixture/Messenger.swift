// What app and extension have of the desktop, from both sides, for tests.
//
// As an extension, it carries out the setting `do` when the broadcast starts. As an app, with `app` as its argument, it carries out
// each line of its standard input. The words are separated by bars:
//
//   post|IDENTIFIER|TITLE|TEXT      later|IDENTIFIER|TITLE|SECONDS      withdraw|IDENTIFIER      activate      copy|GROUP|TEXT      paste|GROUP      listen
import FoundationEssentials
import Glibc
import KinecastExchange
import KinecastExtension

@main
enum Program {
    @MainActor
    static func main() async {
        guard CommandLine.arguments.dropFirst().first == "app" else { return await Messenger.main() }
        say("ready")
        while let line = readLine() {
            let command = Command(line)
            if command.name == "listen" {
                let clicks = LocalNotification.activations
                // Not on the main actor, whose thread reads the commands.
                Task.detached { for await activation in clicks { say(activation.sentence) } }
            }
            say(await command.carryOut())
        }
    }

    nonisolated static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}

final class Messenger: BroadcastSampleHandler {
    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        let clicks = LocalNotification.activations
        Task { for await activation in clicks { report(state: activation.sentence) } }
        for (index, line) in (setupInfo["do"] ?? "").split(separator: ";").enumerated() {
            report(state: "\(index): \(await Command(String(line)).carryOut())")
        }
    }
}

/// One line.
struct Command: Sendable {
    private let words: [String]

    init(_ line: String) {
        words = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }

    var name: String { words.first ?? "" }

    private func word(_ index: Int) -> String { index < words.count ? words[index] : "" }

    /// The answer in a line.
    func carryOut() async -> String {
        do {
            switch name {
            case "post":
                var notification = LocalNotification(identifier: word(1), title: word(2), text: word(3))
                notification.payload = ["open": "payload-app", "url": "payload://"]
                notification.actions = [.init(identifier: "retry", title: "Retry")]
                try await notification.post()
            case "later":
                var notification = LocalNotification(identifier: word(1), title: word(2))
                notification.delay = .seconds(Double(word(3)) ?? 0)
                try await notification.post()
            case "withdraw": try await LocalNotification.withdraw(identifier: word(1))
            case "activate": return "\(try await HostApp.activate())"
            case "copy": try await Pasteboard(group: word(1)).setText(word(2))
            case "paste": return "text \(try await Pasteboard(group: word(1)).text() ?? "of nobody in the group")"
            case "listen": break
            default: return "no command"
            }
            return "done"
        } catch let error as LocalNotification.Error {
            return "\(error.code): \(error)"
        } catch let error as HostApp.Error {
            return "\(error.code): \(error)"
        } catch let error as Pasteboard.Error {
            return "\(error.code): \(error)"
        } catch {
            return "\(error)"
        }
    }
}

extension LocalNotification.Activation {
    var sentence: String {
        "clicked \(identifier) \(action ?? "itself") \(payload["open"] ?? "") \(activationToken ?? "without token")"
    }
}
