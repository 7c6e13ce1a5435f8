// One question to a server on this machine and its answer: all of HTTP that driving a browser needs.
import KinePlatform
import SystemPackage

public enum HTTPExchange {
    /// Connects to 127.0.0.1, asks, and reads the answer to its end.
    /// - Parameters:
    ///   - headers: lines besides the usual ones. A Host among them takes the place of the usual one.
    ///   - deadline: CLOCK_MONOTONIC nanoseconds.
    public static func ask(
        port: UInt16, method: String, path: String, content: [UInt8], headers: [String] = [], deadline: Int64
    ) throws -> (status: Int, content: [UInt8]) {
        var head = ""
        return try ask(
            port: port, method: method, path: path, content: content, headers: headers, deadline: deadline, head: &head)
    }

    /// Like `ask`, and gives the answer's lines before its content.
    public static func ask(
        port: UInt16, method: String, path: String, content: [UInt8], headers: [String] = [], deadline: Int64,
        head answerHead: inout String
    ) throws -> (status: Int, content: [UInt8]) {
        let file = try Loopback.connect(to: Int(port))
        defer { try? file.close() }
        var lines = ["\(method) \(path) HTTP/1.1", "Connection: close", "Content-Length: \(content.count)"]
        for usual in ["Host: 127.0.0.1:\(port)", "Content-Type: application/json"] {
            let name = usual.prefix { $0 != ":" }.lowercased()
            if !headers.contains(where: { $0.lowercased().hasPrefix(name + ":") }) { lines.append(usual) }
        }
        let head = (lines + headers).map { $0 + "\r\n" }.joined() + "\r\n"
        try file.writeAll(Array(head.utf8) + content)
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            if let (status, body) = parse(answer) {
                answerHead = String(decoding: answer.dropLast(body.count), as: UTF8.self)
                return (status, body)
            }
            guard WakeSignal.poll([file.rawValue], until: deadline)[0] else {
                throw Browser.Error.noAnswer("nothing came in time from \(path)")
            }
            let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
            guard count > 0 else { throw Browser.Error.noAnswer("it hung up on \(path)") }
            answer += chunk[..<count]
        }
    }

    /// Nil until the answer, whose length it says itself, is whole.
    private static func parse(_ answer: [UInt8]) -> (Int, [UInt8])? {
        let mark: [UInt8] = [13, 10, 13, 10]
        guard answer.count >= 4,
            let end = (0...answer.count - 4).first(where: { answer[$0..<$0 + 4].elementsEqual(mark) })
        else { return nil }
        let lines = String(decoding: answer[..<end], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, let status = first.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        let length = lines.lazy.map { $0.lowercased() }.first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).filter { $0 != " " }) }
        guard let length, answer.count >= end + 4 + length else { return nil }
        return (status, Array(answer[(end + 4)..<(end + 4 + length)]))
    }
}

/// The link to a live page, taken apart: `http://HOST:PORT/#TOKEN`.
public struct LiveLink: Sendable {
    /// The part in front of the #.
    public let base: String
    public let token: String

    /// Nil where there is no token.
    public init?(_ link: some StringProtocol) {
        let parts = link.split(separator: "#", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasPrefix("http"), !parts[1].isEmpty else { return nil }
        base = String(parts[0])
        token = String(parts[1])
    }

    /// The page played in one way: `webcodecs` or `mse`.
    public func playing(_ way: String) -> String { "\(base)?play=\(way)#\(token)" }
}
