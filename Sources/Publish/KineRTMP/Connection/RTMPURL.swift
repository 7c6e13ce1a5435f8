// The address at which a stream is published. The last part of the path is the stream's name, which most services call
// the key. It is a secret: the description omits it.

/// `rtmp://[USER:PASSWORD@]HOST[:PORT]/APPLICATION/STREAM[?QUERY]`, or `rtmps://`; for servers whose paths have one
/// part, such as MediaMTX, `rtmp://HOST/STREAM[?QUERY]`.
public struct RTMPURL: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public enum Error: Swift.Error, Hashable {
        case scheme
        case host
        case port
        case application
        case streamName
        case character
    }

    public var isSecure: Bool
    /// A name or an address; an IPv6 address is without its brackets.
    public var host: String
    public var port: Int
    /// The user for servers that request one. User and password are percent-decoded.
    public var user: String?
    public var password: String?
    /// The path before the stream's name: "live2", "app/instance". A path of one part is the application with its
    /// query, as in FFmpeg: MediaMTX reads the query of `tcUrl` and ignores that of an empty name.
    public var application: String
    /// The last part of the path with the query, as written. Empty if the path has one part or ends with "/".
    public var streamName: String

    /// 1935 for RTMP (RTMP 1.0, section 7), and HTTPS's port for RTMPS.
    public static func standardPort(isSecure: Bool) -> Int { isSecure ? 443 : 1935 }

    public init(_ text: String) throws(Error) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), !text.contains(where: Self.isMarkedDelimiter) else {
            throw .character
        }
        guard let (scheme, rest) = Self.split(text[...], at: "://") else { throw .scheme }
        switch scheme.lowercased() {
        case "rtmp": isSecure = false
        case "rtmps": isSecure = true
        default: throw .scheme
        }
        let slash = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        var authority = rest[..<slash]
        if let at = authority.lastIndex(of: "@") {
            let parts = Self.split(authority[..<at], at: ":")
            user = Self.decoded(parts?.0 ?? authority[..<at])
            password = parts.map { Self.decoded($0.1) }
            authority = authority[at...].dropFirst()
        }
        let (host, digits) = try Self.endpoint(authority)
        self.host = host
        port = try digits.map(Self.port) ?? Self.standardPort(isSecure: isSecure)
        (application, streamName) = try Self.path(rest[slash...])
    }

    /// Whether a delimiter has a combining accent: it then differs from the delimiter, but other programs split there.
    private static func isMarkedDelimiter(_ character: Character) -> Bool {
        guard let first = character.unicodeScalars.first, !character.isASCII else { return false }
        return ":/?#[]@&=%".unicodeScalars.contains(first)
    }

    /// The host without its brackets, and the digits of the port; nil if there is none.
    private static func endpoint(_ authority: Substring) throws(Error) -> (host: String, port: Substring?) {
        var (host, port) = split(authority, at: ":").map { ($0, Optional($1)) } ?? (authority, nil)
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { throw .host }
            let rest = authority[end...].dropFirst()
            guard rest.isEmpty || rest.first == ":" else { throw .host }
            (host, port) = (authority[..<end].dropFirst(), rest.isEmpty ? nil : rest.dropFirst())
        }
        guard !host.isEmpty, !host.contains("["), !host.contains("]") else { throw .host }
        return (String(host), port)
    }

    private static func port(_ digits: Substring) throws(Error) -> Int {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
            (1...65535).contains(number)
        else { throw .port }
        return number
    }

    /// Splits at the last slash. A slash in the query belongs to a token, unless the path has no other: some servers write
    /// "live?vhost=a/key".
    private static func path(_ path: Substring) throws(Error) -> (application: String, stream: String) {
        guard path.first == "/" else { throw .application }
        let path = path.dropFirst()
        let query = path.firstIndex(of: "?") ?? path.endIndex
        let slash = path[..<query].lastIndex(of: "/") ?? path.lastIndex(of: "/") ?? path.endIndex
        let application = path[..<slash]
        guard let first = application.first, first != "?" else { throw .application }
        return (String(application), String(path[slash...].dropFirst()))
    }

    /// Whether the path has one part, the application, which includes the stream's name.
    public var hasOnePart: Bool { streamName.isEmpty && !application.prefix { $0 != "?" }.contains("/") }

    /// The server's part of the address, for the `connect` command; `suffix` follows the application.
    public func serverAddress(suffix: String = "") -> String { "\(origin)/\(application)\(suffix)" }

    private var origin: String {
        let name = host.contains(":") ? "[\(host)]" : host
        let isStandard = port == Self.standardPort(isSecure: isSecure)
        return "rtmp\(isSecure ? "s" : "")://\(name)\(isStandard ? "" : ":\(port)")"
    }

    /// The most bytes of an address from a server.
    private static let longestAddress = 2048

    /// This stream at the address of a redirection, which is complete or relative to the current one, with or without
    /// the stream's name. Nil for an address that is invalid or would end encryption.
    public func redirected(to address: String) -> RTMPURL? {
        guard address.utf8.count <= Self.longestAddress else { return nil }
        let complete =
            if address.contains("://") {
                address
            } else if address.hasPrefix("//") {
                "rtmp\(isSecure ? "s" : ""):\(address)"
            } else {
                "\(origin)\(address.hasPrefix("/") ? "" : "/")\(address)"
            }
        guard let target = try? RTMPURL(complete + "/"), target.isSecure || !isSecure, target.application != "/" else {
            return nil
        }
        var redirected = self
        redirected.isSecure = target.isSecure
        redirected.host = target.host
        redirected.port = target.port
        redirected.application = withoutStreamName(
            target.application.hasSuffix("/") ? String(target.application.dropLast()) : target.application)
        return redirected
    }

    /// The application without this stream's name after it: in a 302, servers name the application or the whole stream.
    private func withoutStreamName(_ application: String) -> String {
        for name in [streamName, String(streamName.prefix { $0 != "?" })] where !name.isEmpty {
            let start = application.utf8.dropLast(name.utf8.count + 1)
            guard !start.isEmpty, application.utf8.dropFirst(start.count).elementsEqual("/\(name)".utf8) else {
                continue
            }
            return String(decoding: start, as: UTF8.self)
        }
        return application
    }

    /// Whether the server at this address, which the user gave, may redirect its publisher to `target`: never out of
    /// encryption, and only to this port, the protocol's own, or an unprivileged one on the same host.
    public func allowsRedirect(to target: RTMPURL) -> Bool {
        guard target.isSecure || !isSecure else { return false }
        return target.port == port || target.port == Self.standardPort(isSecure: target.isSecure)
            || (target.host == host && target.port >= 1024)
    }

    private static func split(_ text: Substring, at separator: String) -> (Substring, Substring)? {
        text.firstRange(of: separator).map { (text[..<$0.lowerBound], text[$0.upperBound...]) }
    }

    /// The text without percent-encoding (RFC 3986, section 2.1). A "%" without two digits stays.
    private static func decoded(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            // UInt8's initializer would accept a sign.
            if byte == 0x25, digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The address without user, password, stream name and query, and without a part of the application that may hold a token.
    public var description: String { ([origin] + applicationParts.shown + ["…"]).joined(separator: "/") }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The application without its query. When no stream name follows, its last part may be the key, and is hidden.
    private var applicationParts: (shown: [String], hidden: String?) {
        let parts = application.prefix { $0 != "?" }.split(separator: "/").map(String.init)
        if let first = streamName.first, first != "?" { return (parts, nil) }
        return (Array(parts.dropLast()), parts.last)
    }

    /// Whether a text from the server may be shown. A server may repeat secrets that it has received.
    public func isFreeOfSecrets(_ text: String) -> Bool {
        var secrets = [streamName, String(streamName.prefix { $0 != "?" }), password ?? ""]
        if let hidden = applicationParts.hidden { secrets.append(hidden) }
        secrets += Self.queryValues(application) + Self.queryValues(streamName)
        secrets += secrets.map(Self.decoded)
        let texts = [text, Self.decoded(text)]
        return !secrets.contains { secret in !secret.isEmpty && texts.contains { $0.contains(secret) } }
    }

    /// The secrets after "?" in a part of an address: values, and names without a value, of four characters or more.
    private static func queryValues(_ text: String) -> [String] {
        guard let start = text.firstIndex(of: "?") else { return [] }
        var values: [String] = []
        for pair in text[start...].split(whereSeparator: { $0 == "?" || $0 == "&" }) {
            let words = pair.split(separator: "=")
            for word in words.dropFirst(words.count > 1 ? 1 : 0) where word.count >= 4 { values.append(String(word)) }
        }
        return values
    }
}
