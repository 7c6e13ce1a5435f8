// A request as StudioGate judges it.

/// The parts of an HTTP request that decide whether and how it is answered, as they came.
struct StudioRequest: Sendable {
    var method = "GET"
    /// The target: a path, with its query if it has one.
    var target = "/"
    /// The Host header (RFC 9110, section 7.2); nil, here and below: absent.
    var host: String?
    /// The Origin header (RFC 6454, section 7).
    var origin: String?
    /// Sec-Fetch-Site (W3C Fetch Metadata), which browsers send and pages cannot set.
    var site: String?
    var contentType: String?
    /// The Cookie header (RFC 6265, section 4.2).
    var cookies: String?
    /// The header `StudioGate.keyHeader`.
    var key: String?
    /// Last-Event-ID (HTML, server-sent events).
    var lastEvent: String?
    /// The Range header (RFC 9110, section 14.2).
    var range: String?

    /// The Content-Type without its parameters, in lowercase.
    var mediaType: String? {
        contentType.map { $0.prefix { $0 != ";" && $0 != " " }.lowercased() }
    }

    /// The path without its query.
    var path: Substring { target.prefix { $0 != "?" && $0 != "#" } }

    /// The value of a parameter of the query, as it came; nil: it is not there.
    func parameter(_ name: String) -> String? {
        let query = target.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
        for pair in query.split(separator: "&") where pair.hasPrefix("\(name)=") {
            return String(pair.dropFirst(name.count + 1))
        }
        return nil
    }

    /// The value of a cookie; nil: it is not there.
    func cookie(_ name: String) -> Substring? { cookiePairs.first { $0.name == name }?.value }

    var cookieNames: [String] { cookiePairs.map { String($0.name) } }

    private var cookiePairs: [(name: Substring, value: Substring)] {
        (cookies ?? "").split(separator: ";").compactMap { pair in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
    }
}
