// One thing that `kinecast doctor` looked at. The engine does the looking, for it has the libraries; the client prints.

/// The result of one check. `kinecast-engine --doctor` prints an array of these as JSON.
public struct DoctorCheck: Codable, Sendable, Equatable {
    /// What was looked at, in a word or two: "display", "sound", "encoder", "disk" …
    public var name: String
    public var ok: Bool
    /// Without it nothing can be recorded, not even the pattern. What is missing but can be done without is not essential.
    public var essential: Bool
    /// What was found, one sentence or less.
    public var detail: String
    /// What to install or set; nil where nothing has to be done.
    public var remedy: String?

    public init(name: String, ok: Bool, essential: Bool, detail: String, remedy: String? = nil) {
        self.name = name
        self.ok = ok
        self.essential = essential
        self.detail = detail
        self.remedy = remedy
    }
}
