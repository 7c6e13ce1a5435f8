// Casts a screen as an engine does and says what comes of it, for tests that need another user or kill it, and for trying a desktop's
// portal by hand.
//
//   kinecast-cast ENGINE monitor|window IDENTIFIER [ask]
//
// It gives up when its standard input ends.
import Glibc
import KineDesktop
import KineHost
import KinePlatform
import SystemPackage

@main
enum CastFixture {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 3, let target = ScreenCastRequest.Target(rawValue: words[1]) else {
            say("wrong words")
            exit(64)
        }
        let order = ScreenCastOrder(
            ScreenCastRequest(target, showsCursor: true), application: words[2], asksAnew: words.contains("ask"))
        do throws(ScreenCastHelper.Error) {
            let helper = try ScreenCastHelper(order, executable: FilePath(words[0]))
            say("process \(helper.pid)")
            try serve(helper)
        } catch {
            say("ended \(error): \(error.videoSourceError)")
        }
    }

    private static func serve(_ helper: ScreenCastHelper) throws(ScreenCastHelper.Error) -> Never {
        while true {
            if let cast = try helper.processEvents() {
                say("opened \(cast)")
                // A test's PipeWire says a word; the real one waits for its client.
                let ready = WakeSignal.poll([cast.remote.rawValue], until: MonotonicClock.now() + 1_000_000_000)
                let bytes = ready[0] ? (try? cast.remote.readToEnd(atMost: 100)) ?? [] : []
                say("read \(String(decoding: bytes, as: UTF8.self))")
                try? cast.remote.close()
            }
            let ready = WakeSignal.poll([helper.descriptor, 0], until: nil)
            if ready[1] { helper.giveUp() }
        }
    }

    private static func say(_ line: String) { _ = try? FileDescriptor.standardOutput.writeAll((line + "\n").utf8) }
}
