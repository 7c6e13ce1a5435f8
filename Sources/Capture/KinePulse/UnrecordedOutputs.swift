// Decides when outputs that are not recorded are listened to: a film of a person whose sound plays elsewhere would be
// silent. Pure, without a clock; `AudioSession` opens the streams.
import KineMedia

/// The outputs beside a recorded one that is silent. Instants are nanoseconds of CLOCK_MONOTONIC.
struct UnrecordedOutputs {
    /// After this time of digital silence on the recorded output, others are listened to.
    static let silenceLimit: Int64 = 3_000_000_000

    /// The instant from which on the recorded output has been silent. Nil: it plays something, or no output is recorded.
    private var silentSince: Int64?
    /// Each output is reported once. These are the names of the reported ones.
    private var reported: Set<String> = []

    /// The recorded output delivers, or has delivered.
    mutating func recorded(isSilent: Bool, at now: Int64) {
        silentSince = isSilent ? silentSince ?? now : nil
    }

    /// No output is recorded now.
    mutating func stopped() { silentSince = nil }

    /// The outputs to listen to now: an application plays there, neither paused nor muted.
    ///
    /// - Parameter recorded: the sources that are recorded.
    func candidates(
        in inventory: AudioInventory, besides recorded: Set<AudioSource>, at now: Int64
    ) -> [AudioInventory.Output] {
        guard let silentSince, now >= silentSince + Self.silenceLimit else { return [] }
        return inventory.outputs.filter { output in
            !reported.contains(output.name) && !recorded.contains(.source(output.monitor))
                && inventory.playbacks.contains { $0.output == output.index && $0.isHeard }
        }
    }

    /// Reports an output on which there is sound. Nil: it was reported already, or no application plays there any more.
    mutating func report(_ name: String, in inventory: AudioInventory) -> UnrecordedAudio? {
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
