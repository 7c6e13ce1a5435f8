// Levels of audio as a page's meters show them.
import Glibc
import KineMedia

struct ShownLevels: Encodable, Equatable, Sendable {
    /// The lowest level in dBFS.
    private static let silence: Double = -60

    /// The take's; nil: they are of what a page has chosen.
    var id: String?
    /// dBFS, from `silence` to 0; nil: there is no level.
    let audio: Double?
    let microphone: Double?
    /// One sentence: why there is no level, or none to expect.
    var problem: String?

    init(_ levels: AudioLevels, of take: String? = nil, problem: String? = nil) {
        (id, self.problem) = (take, problem)
        (audio, microphone) = (levels.app.map(Self.decibels), levels.microphone.map(Self.decibels))
    }

    /// In whole decibels: a meter shows no finer steps.
    private static func decibels(_ level: Double) -> Double {
        level <= 0 ? silence : min(0, max(silence, (20 * log10(level)).rounded()))
    }
}
