// Lets libFuzzer's bytes be an extension and its process: what it says, what it does, and when. Whatever that is: no crash, a feed that
// begins and ends in turn, never live without having started and saying so, no more words than it is allowed, and one ending.
import FuzzDriver
import KineMedia
import KineWire

@_cdecl("fuzz_extension_states_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: steps, each a byte for what happens and what belongs to it.
private func fuzz(_ input: [UInt8]) {
    var script = Script(input)
    var history = History()
    while let choice = script.byte() {
        switch choice & 31 {
        case 0...7: history.wait(milliseconds: Int64(choice & 7) * Int64(choice & 7) * 100 + 10)
        case 8: history.note(.startSent)
        case 9: history.report(.started)
        case 10: history.report(.live(choice & 32 != 0, reason: choice & 64 != 0 ? text(&script) : nil))
        case 11: history.report(choice & 32 != 0 ? .serviceInfo(["viewers": text(&script)]) : .heartbeat)
        case 12: history.report(.statistics(statistics(&script)))
        case 13: history.report(.links(BroadcastLinks(page: text(&script))))
        case 14:
            let player = choice & 32 != 0 ? text(&script) : nil
            history.report(.links(BroadcastLinks(page: text(&script), player: player, isRenewable: choice & 64 != 0)))
        case 15: history.report(.state(text(&script)))
        case 16:
            let line = text(&script)
            history.report(choice & 32 != 0 ? .log(ExtensionLogLine(.info, line)) : .warning(line))
        case 17: history.report(.needsKeyframe)
        case 18: history.report(.encoding(encoding(&script)))
        case 19: history.report(.failed(text(&script)))
        case 20: history.report(.finished)
        case 21: history.note(.memory(resident: Int((script.number() ?? 0) >> 14)))
        case 22: history.note(.held(since: choice & 32 != 0 ? history.now : nil))
        case 23: history.note(.protocolViolation(text(&script)))
        case 24: history.note(.channelClosed)
        case 25: history.exit(status: Int32(choice >> 5), cappedAt: script.number().map { Int($0 >> 14) })
        case 26: history.note(.pauseRequested)
        case 27: history.note(.resumeRequested)
        case 28: history.note(.annotateRequested(["what": text(&script)]))
        case 29: history.note(.linkRenewalRequested)
        case 30: history.note(choice & 32 != 0 ? .removalRequested : .finishRequested)
        default: history.note(.impossible(text(&script)))
        }
    }
    history.close()
}

private func text(_ script: inout Script) -> String { String(repeating: "w", count: Int(script.byte() ?? 0) & 3) }

private func statistics(_ script: inout Script) -> ExtensionStatistics {
    var statistics = ExtensionStatistics()
    statistics.sentBytes = Int(bitPattern: UInt(script.number() ?? 0))
    return statistics
}

private func encoding(_ script: inout Script) -> EncodingRequest {
    EncodingRequest(averageBitrate: script.number().map { Int(truncatingIfNeeded: $0) }).bounded
}
