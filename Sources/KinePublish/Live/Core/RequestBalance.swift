// Whose turn it is on a connection: requests may come ahead of the responses to earlier ones, and a response may be complete
// before its request is (RFC 9112, 9.3). Pure.

/// The requests and the responses that have come to their ends on one connection.
struct RequestBalance {
    /// Below zero while a request goes on that has its response already.
    private var unanswered = 0

    /// Something is to be answered. If nothing is, the next request's end is what is waited for.
    var owesResponse: Bool { unanswered > 0 }
    /// Every request that has come has ended, and has its response.
    var isEven: Bool { unanswered == 0 }

    mutating func requestEnded() { unanswered += 1 }
    mutating func responseEnded() { unanswered -= 1 }
}
