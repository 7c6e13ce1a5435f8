// Gives libFuzzer's bytes to a whole session as what a server says, from the handshake on. Whatever they are: no crash, the
// same answers however the bytes are cut, nothing more after a failure, and neither key nor password in what a person is told, though
// a server may repeat them.
import FuzzDriver
import KineRTMP

@_cdecl("fuzz_rtmp_handshake_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

private let password = "pa55word"
private let key = "k3y-0f-m1ne"

/// One input: its first byte says how the rest is cut, and whether a good handshake goes before it.
private func fuzz(_ input: [UInt8]) {
    guard let choice = input.first, let url = try? RTMPURL("rtmp://user:\(password)@h/app/\(key)") else { return }
    var stream = Array(input.dropFirst())
    // Without this help hardly an input would get past the first 3,073 bytes.
    if choice & 1 == 1 { stream = [3] + [UInt8](repeating: 0, count: 3072) + stream }
    let whole = talk(stream, url, pieces: stream.count)
    let cut = talk(stream, url, pieces: (Int(choice >> 1) + 1) * 8)
    precondition(whole.named == cut.named, "the cut changed what happened")
}

private struct Heard {
    /// Without what is sent: acknowledgements come by the piece.
    var named: [RTMPSession.Event] = []
}

private func talk(_ bytes: [UInt8], _ url: RTMPURL, pieces: Int) -> Heard {
    var session = RTMPSession(
        url, authentication: PublisherAuthentication(url, challenge: 7), random: [1, 2, 3])
    var heard = Heard()
    var hasFailed = false
    func note(_ events: [RTMPSession.Event]) {
        for event in events {
            precondition(!hasFailed, "something came after a failure")
            if case .send = event { continue }
            heard.named.append(event)
            switch event {
            case .fail(let failure):
                hasFailed = true
                checkHidden(failure.description)
            case .redirect(let url): checkHidden(url.description)
            case .authenticate: hasFailed = true
            default: break
            }
        }
    }
    note(session.connected(now: 0))
    for start in stride(from: 0, to: bytes.count, by: max(1, pieces)) {
        note(session.receive(bytes[start..<min(start + max(1, pieces), bytes.count)], now: 0))
    }
    checkHidden(session.server ?? "")
    return heard
}

private func checkHidden(_ text: String) {
    precondition(!text.contains(password) && !text.contains(key), "a secret is shown: \(text)")
}
