// Which streams have the audio of all outputs, each sound once. A server can pass the audio of one output on to others: by a loopback, by
// combined outputs, or by a filter. Pure.

/// Marks an output and the streams that one module or filter of the server has made. Those with the same link belong together.
public enum AudioLink: Hashable, Sendable {
    /// The module (PulseAudio's `owner_module`).
    case module(UInt32)
    /// PipeWire's `node.link-group`.
    case group(String)
}

extension AudioInventory {
    /// A stream that reads a source (PulseAudio: a source output).
    struct Recording: Sendable, Equatable {
        /// The index of the source.
        var source: UInt32
        var links: Set<AudioLink> = []
    }

    /// The streams that together have the audio of all outputs.
    ///
    /// If the server passes an output's audio on to one other output, only the other one is recorded. If it passes the audio on to several
    /// outputs, the first is recorded, and of the others only the streams that do not come from it.
    var everything: [AudioSource] {
        let kept = outputs.indices.filter { lastOutput(from: $0) == $0 }
        let combined = kept.filter { nextOutputs(after: $0).count > 1 }
        return kept.flatMap { index -> [AudioSource] in
            let output = outputs[index]
            let origins = combined.filter { nextOutputs(after: $0).contains(index) }
            guard !origins.isEmpty else { return [.source(output.monitor)] }
            return playbacks.filter { playback in
                playback.output == output.index
                    && origins.allSatisfy { links(of: $0).isDisjoint(with: playback.links) }
            }.map { .playback($0.index, output: $0.output) }
        }
    }

    /// The links of the output and of the streams that read it.
    private func links(of output: Int) -> Set<AudioLink> {
        recordings.filter { $0.source == outputs[output].monitorIndex }
            .reduce(outputs[output].links) { $0.union($1.links) }
    }

    /// The other outputs that the server passes the output's audio on to.
    private func nextOutputs(after output: Int) -> [Int] {
        let links = links(of: output)
        guard !links.isEmpty else { return [] }
        return outputs.indices.filter { other in
            other != output
                && playbacks.contains { $0.output == outputs[other].index && !links.isDisjoint(with: $0.links) }
        }
    }

    /// Follows the output's audio as long as the server passes it on to one other output. In a circle, the first output counts.
    private func lastOutput(from output: Int) -> Int {
        var path = [output]
        while true {
            let next = nextOutputs(after: path[path.count - 1])
            guard next.count == 1 else { return path[path.count - 1] }
            if let start = path.firstIndex(of: next[0]) { return path[start...].min() ?? output }
            path.append(next[0])
        }
    }
}
