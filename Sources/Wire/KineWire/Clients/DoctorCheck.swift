// One check of `kinecast doctor`. The engine makes it, since it has the libraries; the client prints it.

/// The result of one check. `kinecast-engine --doctor` prints an array of these as JSON.
public struct DoctorCheck: Codable, Sendable, Equatable {
    /// The thing that was checked, in a word or two: "display", "audio", "encoder", "disk" …
    public var name: String
    public var ok: Bool
    /// Whether nothing can be recorded without it, not even the pattern.
    public var essential: Bool
    /// The finding, in one sentence or less.
    public var detail: String
    /// The thing to install or set; nil: none.
    public var remedy: String?

    public init(name: String, ok: Bool, essential: Bool, detail: String, remedy: String? = nil) {
        self.name = name
        self.ok = ok
        self.essential = essential
        self.detail = detail
        self.remedy = remedy
    }
}
