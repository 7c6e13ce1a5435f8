// Tells whether a connection waits for a request or for a response: requests may arrive before the responses to earlier ones, and
// a response may be complete before its request is (RFC 9112, section 9.3). Pure.

/// The requests and the responses that have ended on one connection.
struct RequestBalance {
    /// Below zero while a request is incomplete and its response is complete.
    private var unanswered = 0

    /// Whether a response is due. Otherwise the connection waits for the end of the next request.
    var owesResponse: Bool { unanswered > 0 }
    /// Whether every request so far has ended and has its response.
    var isEven: Bool { unanswered == 0 }

    mutating func requestEnded() { unanswered += 1 }
    mutating func responseEnded() { unanswered -= 1 }
}
