// A request with its parameters and its body. The fuzz target of StudioGate is built without it, so it has its own file.

/// A request that StudioGate has let pass.
struct StudioCall: Sendable {
    let request: StudioRequest
    /// The parts of the path for the names in braces, decoded.
    let parameters: [String: String]
    /// Nil: the route needs no session.
    var scope: StudioScope?
    /// A JSON object, if the method is POST.
    let body: [UInt8]

    subscript(name: String) -> String { parameters[name] ?? "" }

    /// The body.
    func value<Value: Decodable>(_ type: Value.Type = Value.self) throws(StudioProblem) -> Value {
        guard let value = StudioJSON.decode(type, body) else { throw .malformed }
        return value
    }
}
