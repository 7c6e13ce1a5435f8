// Says which request an answer belongs to, where several of a client wait at the same time.

/// A client's request, by its name and, where it has one, by the number that tells it apart from others of that name.
public struct RequestReference: Codable, Sendable, Equatable {
    /// As in the message's JSON.
    public var name: String
    public var number: Int?

    /// Whether this reference can mean that request. An engine that cannot read a message knows its name alone.
    public func isOf(_ request: RequestReference) -> Bool {
        name == request.name && (number == nil || number == request.number)
    }

    public init(_ message: ClientMessage) {
        (name, number) =
            switch message {
            case .start: ("start", nil)
            case .status: ("status", nil)
            case .pause: ("pause", nil)
            case .resume: ("resume", nil)
            case .stop: ("stop", nil)
            case .annotate: ("annotate", nil)
            case .renewLinks: ("renewLinks", nil)
            case .follow: ("follow", nil)
            case .setMicrophone(let isOn): ("setMicrophone", isOn ? 1 : 0)
            case .switchSource: ("switchSource", nil)
            case .setCamera: ("setCamera", nil)
            case .receiveSamples: ("receiveSamples", nil)
            case .endSamples: ("endSamples", nil)
            case .receiveFrames: ("receiveFrames", nil)
            case .addDestination(_, let reference): ("addDestination", reference)
            case .removeDestination(let number): ("removeDestination", number)
            case .exportClip(let request): ("exportClip", request.id)
            case .commandStarted: ("commandStarted", nil)
            case .permissionAnswer: ("permissionAnswer", nil)
            case .unknown(let name): (name, nil)
            }
    }
}
