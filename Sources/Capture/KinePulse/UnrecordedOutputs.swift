// Decides when outputs that are not recorded are listened to: a film of a person whose sound plays elsewhere would be
// silent. Pure, without a clock; `AudioSession` opens the streams.
import KineMedia

/// The outputs beside a recorded one that is silent. Instants are nanoseconds of CLOCK_MONOTONIC.
struct UnrecordedOutputs {
    /// The time of digital silence on the recorded output after which others are listened to.
    static let patience: Int64 = 3_000_000_000

    /// Since when the recorded output has been silent; nil: it is heard, or not recorded.
    private var silentSince: Int64?
    /// The names of those that were reported: once is enough.
    private var reported: Set<String> = []

    /// The recorded output delivers, or has delivered.
    mutating func recorded(isSilent: Bool, at now: Int64) {
        silentSince = isSilent ? silentSince ?? now : nil
    }

    /// No output is recorded now.
    mutating func stopped() { silentSince = nil }

    /// When the others are due; nil: the recorded one is heard.
    var deadline: Int64? { silentSince.map { $0 + Self.patience } }

    /// The outputs to listen to now: those to which something plays that can be heard.
    ///
    /// - Parameter recorded: the sources that are recorded.
    func candidates(
        in inventory: AudioInventory, besides recorded: Set<AudioSource>, at now: Int64
    ) -> [AudioInventory.Output] {
        guard let deadline, now >= deadline else { return [] }
        return inventory.outputs.filter { output in
            !reported.contains(output.name) && !recorded.contains(.source(output.monitor))
                && inventory.playbacks.contains { $0.output == output.index && $0.isHeard }
        }
    }

    /// An output was heard. Nil: it was reported already, or nothing plays there any more.
    mutating func heard(_ name: String, in inventory: AudioInventory) -> UnrecordedAudio? {
        guard let output = inventory.outputs.first(where: { $0.name == name }),
            let playback = inventory.playbacks.first(where: { $0.output == output.index && $0.isHeard }),
            reported.insert(name).inserted
        else { return nil }
        let application = playback.application.isEmpty ? playback.binary : playback.application
        return UnrecordedAudio(application: application, output: name, description: output.description)
    }
}

extension AudioInventory.Playback {
    fileprivate var isHeard: Bool { !isCorked && level == .audible }
}
