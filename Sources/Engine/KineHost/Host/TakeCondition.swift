// What a take shows and records now, as its status has it.
import FoundationEssentials
import KineCapture
import KineMedia
import KineText
import KineWire

struct TakeCondition {
    /// The current source; nil: the one that the take began with.
    private(set) var source: TakeConfiguration.Source?
    /// The source that is being opened, and the request for it.
    private(set) var switching: (source: TakeConfiguration.Source, asker: Asker)?
    /// Why the source stands still, and since when, in seconds since 1970; nil: it works.
    private(set) var interruption: (reason: SourceInterruption, since: Double)?
    /// The current camera, if any.
    private var camera: TakeConfiguration.Camera?
    /// The size of the frames that a camera gave last.
    private var cameraSize: PixelSize?
    /// The last report of sound on an output that is not recorded.
    private var unrecordedAudio: UnrecordedAudio?
    /// The excluded windows at the source's last search, if it excludes any.
    private var exclusions: ExclusionFindings?
    /// Windows with unreadable titles that were warned of.
    private var reportedUnreadable: Set<UInt32> = []

    /// Limits the warnings, because a program may open many windows.
    private static let mostUnreadable = 8

    init(camera: TakeConfiguration.Camera? = nil) { self.camera = camera }

    mutating func beginSwitch(to source: TakeConfiguration.Source, for asker: Asker) { switching = (source, asker) }

    /// The new source is shown, or could not be opened. Returns the switch; nil: there was none.
    mutating func endSwitch(isShown: Bool) -> (source: TakeConfiguration.Source, asker: Asker)? {
        guard let ended = switching.take() else { return nil }
        if isShown { (source, interruption) = (ended.source, nil) }
        return ended
    }

    /// The source stands still; nil: it works again.
    mutating func interrupted(_ reason: SourceInterruption?) {
        interruption = reason.map { ($0, Date().timeIntervalSince1970) }
    }

    mutating func show(_ camera: TakeConfiguration.Camera?) { self.camera = camera }

    mutating func cameraShown(_ size: PixelSize) { cameraSize = size }

    mutating func found(_ audio: UnrecordedAudio) { unrecordedAudio = audio }

    /// Another output is recorded.
    mutating func outputChanged() { unrecordedAudio = nil }

    /// Returns warnings: of rules that match no window when a source begins, and once of each window with an unreadable title.
    mutating func found(_ findings: ExclusionFindings?) -> [String] {
        let isFirst = exclusions == nil
        exclusions = findings
        guard let findings else { return [] }
        let unreadable = findings.unreadable.filter { !reportedUnreadable.contains($0) }
            .prefix(max(0, Self.mostUnreadable - reportedUnreadable.count))
        reportedUnreadable.formUnion(unreadable)
        let sentences = [
            isFirst ? findings.unmatchedSentence : nil,
            unreadable.isEmpty ? nil : ExclusionFindings.sentence(unreadable: Array(unreadable)),
        ]
        return sentences.compactMap(\.self)
    }

    func fill(_ status: inout TakeStatus) {
        if let source { status.source = source.description }
        (status.camera, status.cameraSize) = (camera, camera == nil ? nil : cameraSize)
        status.unrecordedAudio = unrecordedAudio
        (status.interruption, status.interruptedSince) = (interruption?.reason, interruption?.since)
        status.unmatchedExclusions = exclusions?.unmatched.map(\.optionValue) ?? []
    }
}

extension ExclusionFindings {
    /// Nil: every rule matches a window.
    var unmatchedSentence: String? {
        guard !unmatched.isEmpty else { return nil }
        let rules = unmatched.map { $0.optionValue.printable(limit: 100) }
        return
            "No window matches \(rules.joined(separator: ", ")) now; windows that open later are hidden if they match. "
            + "kinecast sources lists the windows and their names."
    }

    static func sentence(unreadable windows: [UInt32]) -> String {
        let ids = windows.prefix(8).map { "0x" + String($0, radix: 16) }.joined(separator: ", ")
        return
            "The title of \(ids) is in a character set that is not known, so it is not hidden by its title; exclude it by that id, "
            + "or by its application."
    }
}
