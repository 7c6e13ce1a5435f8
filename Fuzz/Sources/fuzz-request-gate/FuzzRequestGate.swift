// Asks the live page's gate for whatever the bytes say. Whatever that is: no crash, nothing of the broadcast without a token or
// by a foreign name, and nothing in what the broadcaster is shown that a terminal would obey.
import FuzzDriver
import KineLive
import KineText

@_cdecl("fuzz_request_gate_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

private let token = "00112233445566778899aabbccddeeff"
private let playerToken = "ffeeddccbbaa99887766554433221100"

/// One input: lines of method, path, Host, Origin, the token's header and the public address; an empty one is none.
private func fuzz(_ input: [UInt8]) {
    let lines = input.split(separator: 10, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    func line(_ number: Int) -> String { number < lines.count ? lines[number] : "" }
    func header(_ number: Int) -> String? { line(number).isEmpty ? nil : line(number) }
    guard let token = RandomToken(token), let playerToken = RandomToken(playerToken) else { return }
    let gate = RequestGate(token: token, playerToken: playerToken, host: "127.0.0.1", publicURL: line(5))
    let presented = header(4)
    let verdict = gate.judge(method: line(0), target: line(1), host: header(2), origin: header(3), token: presented)
    switch verdict {
    case .give(let resource, let query):
        precondition(line(0) == "GET" || line(0) == "HEAD", "something was given to another method")
        precondition(header(2) != nil, "something was given without a Host")
        let hasToken = presented == token.description || line(1).contains("\(playerToken)/live.mp4")
        precondition(!resource.needsToken || hasToken, "\(resource) was given without its token")
        for (name, value) in query?.parameters ?? [:] {
            precondition(line(1).contains("\(name)=\(value)"), "a parameter that was not sent")
            precondition(name.utf8.count + value.utf8.count < 256, "a parameter is too long")
        }
    case .wrongHost(let name?):
        precondition(name.utf8.count <= 80, "the name is too long to be shown")
        precondition(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "the name is nothing to be shown")
    case .addSlash, .notFound, .wrongHost(nil), .wrongOrigin, .wrongMethod: break
    }
    // What is in a link is found in it again.
    if let token = LiveLinks.token(inPage: line(1)) { precondition(line(1).hasSuffix("#\(token)"), "another token") }
}
