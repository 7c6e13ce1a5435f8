// The audio of all outputs, each sound once: one output may play another one's sound, by a loopback, a combination of outputs, or a filter.
// Pure.

/// Joins the ends of what the server itself passes on.
public enum AudioLink: Hashable, Sendable {
    /// The module that made them (PulseAudio's `owner_module`).
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
    /// An output that plays on another one only is left out, since that one has its sound. One that plays on several is recorded by itself,
    /// and of those only what else plays there.
    var everything: [AudioSource] {
        let kept = outputs.indices.filter { last(from: $0) == $0 }
        let combined = kept.filter { carriers(of: $0).count > 1 }
        return kept.flatMap { index -> [AudioSource] in
            let output = outputs[index]
            let doubled = combined.filter { $0 != index && carriers(of: $0).contains(index) }
            guard !doubled.isEmpty else { return [.source(output.monitor)] }
            return playbacks.filter { playback in
                playback.output == output.index
                    && doubled.allSatisfy { links(of: $0).isDisjoint(with: playback.links) }
            }.map { .playback($0.index, output: $0.output) }
        }
    }

    /// What carries an output's sound elsewhere.
    private func links(of output: Int) -> Set<AudioLink> {
        recordings.filter { $0.source == outputs[output].monitorIndex }
            .reduce(outputs[output].links) { $0.union($1.links) }
    }

    /// The other outputs that play an output's sound.
    private func carriers(of output: Int) -> [Int] {
        let links = links(of: output)
        guard !links.isEmpty else { return [] }
        return outputs.indices.filter { other in
            other != output
                && playbacks.contains { $0.output == outputs[other].index && !links.isDisjoint(with: $0.links) }
        }
    }

    /// The output where an output's sound ends up, by way of others. Of those that play each other's sound, the first one.
    private func last(from output: Int) -> Int {
        var way = [output]
        while true {
            let next = carriers(of: way[way.count - 1])
            guard next.count == 1 else { return way[way.count - 1] }
            if let start = way.firstIndex(of: next[0]) { return way[start...].min() ?? output }
            way.append(next[0])
        }
    }
}
