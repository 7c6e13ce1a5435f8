// A setup program for tests: a good one, or with one of the faults that a bad one has. The file `mode` in its bundle says which.
import Foundation
import Glibc
import KinecastExtension

@main final class SetupFixture: BroadcastSetupProgram {
    private struct Refusal: Error, CustomStringConvertible {
        var description: String
    }

    /// The directory of this executable.
    private var bundle: String {
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return executable.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    }

    private var mode: String { (try? String(contentsOfFile: bundle + "/mode", encoding: .utf8)) ?? "good" }

    private var key: SetupField {
        var key = SetupField(key: "key", title: "Key", type: .secret, required: true)
        key.pattern = "w_*"
        return key
    }

    override func setUp() async throws -> SetupResult {
        let result = SetupResult(
            setupInfo: ["key": "w_from-setup"], broadcastURL: "https://example.org/watch/\(app.identifier)")
        switch mode {
        case "login": return try await logIn(result)
        case "loginByFile":
            // The file stands for the service, which such a program asks again and again (RFC 8628, section 3.4).
            showLogin("https://example.org/device?code=ABCD")
            while access(bundle + "/logged-in", F_OK) != 0 { try await Task.sleep(for: .milliseconds(20)) }
            return result
        case "hang": await hang()
        case "hangAfterAnswer":
            _ = await ask([key])
            await hang()
        case "crash": fatalError("as asked")
        case "crashInQuestion":
            Task.detached {
                usleep(50_000)
                fatalError("as asked")
            }
            _ = await ask([key])
        case "garbage": writeGarbage([UInt8](repeating: 0xff, count: 4096))
        case "huge": writeGarbage([0x7f, 0xff, 0xff, 0xff])
        case "quiet":
            shutdown(3, Int32(SHUT_RDWR))
            await hang()
        case "long": _ = await ask([key], message: String(repeating: "x", count: 2 << 20))
        case "twoQuestions":
            async let first = ask([key])
            async let second = ask([key])
            _ = await (first, second)
        case "wrongKey": return SetupResult(setupInfo: ["key": "x"])
        case "refuse":
            let answers = await ask([key])
            throw Refusal(description: "The key \(answers["key"] ?? "") is not known; get another.")
        case "steal": return SetupResult(setupInfo: ["key": "w_1", "cert": "/etc/passwd"])
        case "persuade":
            var field = SetupField(key: "cert", title: "Press Enter to go on")
            field.default = "/etc/passwd"
            return SetupResult(setupInfo: await ask([field]).merging(["key": "w_1"]) { $1 })
        case "lookAround": return lookAround()
        default:
            let first = await ask([key], message: "Where is the key?")
            let number = SetupField(key: "count", title: "Count", type: .number)
            let second = await ask([number])
            return SetupResult(setupInfo: first.merging(second) { $1 }, broadcastURL: result.broadcastURL)
        }
        await hang()
        return result
    }

    private func logIn(_ result: SetupResult) async throws -> SetupResult {
        showLogin("https://example.org/device?code=ABCD")
        // As if it had asked the service whether the person has logged in.
        let answers = await ask([SetupField(key: "count", title: "Count")])
        return SetupResult(setupInfo: result.setupInfo.merging(answers) { $1 }, broadcastURL: result.broadcastURL)
    }

    /// What it can see of its surroundings, in the setting `link`.
    private func lookAround() -> SetupResult {
        let variables = ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "PULSE_SERVER"]
        var seen = variables.filter { ProcessInfo.processInfo.environment[$0] != nil }
        for path in ["/etc/shadow", "/root", "/home", "/tmp"] where opendir(path) != nil || open(path, O_RDONLY) >= 0 {
            seen.append(path)
        }
        return SetupResult(setupInfo: ["key": "w_1", "link": seen.isEmpty ? "nothing" : seen.joined(separator: " ")])
    }

    private func hang() async { while true { try? await Task.sleep(for: .seconds(1000)) } }

    private func writeGarbage(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { write(3, $0.baseAddress, $0.count) }
    }
}
