// Gives libFuzzer's bytes to the reader of RTMP addresses and, where a zero byte follows, the rest to the reader of the address
// that a server redirects to. Whatever they are: no crash; the address that the server is told reads back as the same one; and a
// redirect neither leaves encryption nor changes the stream key.
import FuzzDriver
import KineRTMP

@_cdecl("fuzz_rtmp_url_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: an address and, behind a zero, the one that a server answers with.
private func fuzz(_ input: [UInt8]) {
    let parts = input.split(separator: 0, maxSplits: 1)
    guard let first = parts.first, let url = try? RTMPURL(String(decoding: first, as: UTF8.self)) else { return }
    checkAgain(url)
    precondition(url.streamName.isEmpty || !url.isFreeOfSecrets(url.streamName), "a key is no secret")
    // rtmp://HOST/…
    precondition(!url.hasOnePart || url.description.utf8.count { $0 == 0x2F } == 3, "the only part is shown")
    precondition(url.allowsRedirect(to: url), "the address itself is forbidden")
    guard parts.count > 1, let moved = url.redirected(to: String(decoding: parts[1], as: UTF8.self)) else { return }
    checkAgain(moved)
    precondition(moved.isSecure || !url.isSecure, "a server has led out of encryption")
    precondition(moved.streamName == url.streamName && moved.user == url.user, "a server has changed the key")
}

private func checkAgain(_ url: RTMPURL) {
    guard let again = try? RTMPURL(url.serverAddress() + "/x") else {
        preconditionFailure("what the server is told is no address")
    }
    precondition(
        again.host == url.host && again.port == url.port && again.isSecure == url.isSecure
            && again.application == url.application, "an address changed on its way")
}
