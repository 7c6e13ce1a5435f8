// Feeds arbitrary requests to StudioGate and arbitrary JSON to RecordingChoice: no crash, nothing of the session without its cookie and
// key, no other host or origin, and no argument of `kinecast` but the known ones.
import FuzzDriver
import KineText

@_cdecl("fuzz_studio_gate_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

private let (secrets, session): (StudioSecrets, StudioSecrets.Session) = {
    var secrets = StudioSecrets()
    let link = secrets.makeLink(to: .studio, at: 0)
    guard let session = secrets.redeem(link.description, at: 0) else { preconditionFailure("the link is no link") }
    return (secrets, session)
}()

/// One input: lines of method, target, Host, Origin, Sec-Fetch-Site, Content-Type, Cookie and key, an empty one of which is none, and then
/// JSON. NAME, COOKIE and KEY in them are the server's own.
private func fuzz(_ input: [UInt8]) {
    let lines = input.split(separator: 10, maxSplits: 8, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    func header(_ number: Int) -> String? {
        guard number < lines.count, !lines[number].isEmpty else { return nil }
        return lines[number].replacing("NAME", with: secrets.cookieName)
            .replacing("COOKIE", with: "\(secrets.cookie)").replacing("KEY", with: "\(session.key)")
    }
    let request = StudioRequest(
        method: header(0) ?? "", target: header(1) ?? "", host: header(2), origin: header(3), site: header(4),
        contentType: header(5), cookies: header(6), key: header(7))
    let url = PublicURL("https://studio.example/a/api/")
    let gate = StudioGate(secrets: secrets, port: 8000, publicURL: url)
    switch gate.judge(request, secrets) {
    case .success(let match):
        let hosts = ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "studio.example"]
        precondition(request.host.map { hosts.contains($0.lowercased()) } == true, "answered as another host")
        let origins = hosts.dropLast().map { "http://\($0)" } + ["https://studio.example"]
        precondition(request.origin.map { origins.contains($0.lowercased()) } ?? true, "answered another origin")
        precondition(match.route.accepts(request.method), "answered for another method")
        if [.session, .events, .media].contains(match.route.access) {
            precondition(request.cookies?.contains("\(secrets.cookie)") == true, "answered without the cookie")
        }
        if [.session, .events].contains(match.route.access) {
            let query = match.route.access == .events ? request.parameter("key") : nil
            precondition((request.key ?? query) == "\(session.key)", "answered without the key")
        }
        for value in match.parameters.values {
            precondition(!value.contains("/") && value != "..", "a parameter leads elsewhere")
        }
    case .failure(.wrongHost(let name?)), .failure(.otherPort(let name, _)):
        precondition(name.utf8.count <= 80 && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "nothing to be shown")
    case .failure: break
    }
    guard lines.count > 8, let choice = StudioJSON.decode(RecordingChoice.self, Array(lines[8].utf8)),
        let arguments = choice.arguments(recordingTo: "/a.mp4")
    else { return }
    let isBroadcast = choice.destinations?.isEmpty == false
    let command = isBroadcast ? ["broadcast", "--json"] : ["record", "--toggle", "--json"]
    precondition(arguments.starts(with: command), "another command")
    for argument in arguments.dropFirst(command.count) {
        precondition(argument.hasPrefix("--") && !argument.contains("\0"), "another option")
        precondition(argument.contains("=") || ["--show-clicks", "--no-cursor"].contains(argument), "a flag")
    }
}

// The server's tables need all of the server. These have a path of each kind.
final class Studio: Sendable {}
struct StudioCall: Sendable {}
enum StudioResponse: Sendable { case none }

extension StudioRoute {
    static let all: [StudioRoute] = [
        get("", .document) { _, _ in .none }, get("{file}", .page) { _, _ in .none },
        post("api/session", .page) { _, _ in .none }, get("api/events", .events) { _, _ in .none },
        get("api/takes") { _, _ in .none }, post("api/takes") { _, _ in .none },
        post("api/takes/{take}/pause") { _, _ in .none },
        post("api/takes/{take}/destinations/{number}/remove") { _, _ in .none },
        get("api/media/{media}", .media) { _, _ in .none },
    ]
}
