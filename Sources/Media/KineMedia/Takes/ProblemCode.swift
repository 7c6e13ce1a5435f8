// The codes of sentences about problems. A program recognizes a problem by its code, and a page says it in another language.
// docs/json-events.md has the meaning and the values of each.
import KineText

/// A sentence's code and the values that the sentence names.
public struct ProblemCode: Codable, Sendable, Hashable {
    /// The problems that have a code, and no other meaning in later versions. A test compares them with the documentation.
    public enum Name: String, Sendable, CaseIterable {
        // A server over RTMP.
        case nameUnknown, connectFailed, connectTimedOut, unanswered, otherProtocol, protocolBroken, tlsMissing
        case certificateForAnotherName, certificateUntrusted, authorityUnreadable
        case credentialsMissing, credentialsRefused, applicationRefused, streamRefused, streamBusy, redirectRefused
        case streamEnded, connectionLost, networkTooSlow, neverAccepted
        // A take and its file.
        case addressInUse, cancelled, notPermitted, windowGone, engineDied
        case monitorGone, regionGone, castLost, castStopped
        case diskFull, fileTooLarge, storageFailed, cannotCreate, nameInUse
        // The studio.
        case takeRuns, takeIsOver, noVideos, linkUsed, recordingGone, beingRecorded
    }

    /// A `Name`, maybe of a later version.
    public let name: String
    public private(set) var values: [String: String]

    /// - Parameters:
    ///   - name: what is wrong.
    ///   - values: for the sentence, by their names. Nil values are left out.
    public init(_ name: Name, _ values: [String: String?] = [:]) {
        (self.name, self.values) = (name.rawValue, values.compactMapValues { $0 })
    }

    /// As a message has it.
    package init(named name: String, _ values: [String: String]) { (self.name, self.values) = (name, values) }

    /// Nil: there are none, and JSON has no such key.
    package var givenValues: [String: String]? { values.isEmpty ? nil : values }

    /// The most values of a foreign code, and the most bytes of their keys.
    private static let (mostValues, longestKey) = (4, 20)

    /// The code of a foreign program with its values made safe to show; nil if it is none.
    package func cleaned(_ clean: (String) -> String) -> ProblemCode? {
        let isShort = values.count <= Self.mostValues && values.keys.allSatisfy { $0.utf8.count <= Self.longestKey }
        guard Name(rawValue: name) != nil, isShort, values.keys.allSatisfy(\.isPlainName) else { return nil }
        return ProblemCode(named: name, values.mapValues(clean))
    }
}

/// An error with a code beside its sentence.
public protocol CodedError: Error {
    /// Nil: its sentence has no code.
    var problem: ProblemCode? { get }
}
