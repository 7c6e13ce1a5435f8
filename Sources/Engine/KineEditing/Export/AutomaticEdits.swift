// The edits that are offered for a recording: from its input track, or from its frames if it has none.
import CPixels
import KineCodecs
import KineContainers
import KineInput
import KineMedia

extension FinishedRecording {
    /// Reads the whole input track. The history is empty if the recording has none.
    func history() throws(EditingError) -> InputHistory {
        var history = InputHistory(size: index.size)
        for sample in 0..<index.inputCount {
            let text = try EditingError.wrapping({ .recording(.storage($0)) }) { () throws(StorageError) in
                try index.inputText(sample, in: file)
            }
            history.append(InputLine.lines(of: text) ?? [], from: index.inputTime(sample))
        }
        return history
    }

    /// Decodes all frames, and notes where each differs from the one before.
    func changes() throws(EditingError) -> InputHistory {
        var history = InputHistory(size: index.size)
        var next = 0
        while next < index.frameCount {
            let end = index.keyframe(after: next) ?? index.frameCount
            var last = FrameCopy()
            var pending: (time: MediaTime, changed: DamageRegion)?
            try decode(next..<end) { (number, frame) throws(EditingError) in
                let changed = last.update(frame)
                let time = index.time(of: number)
                if let before = pending, time - before.time >= InputHistory.changeInterval {
                    history.append(before.changed, at: before.time)
                    pending = nil
                }
                guard !changed.isEmpty else { return }
                pending = (pending?.time ?? time, pending.map { $0.changed.union(changed) } ?? changed)
            }
            if let pending { history.append(pending.changed, at: pending.time) }
            next = end
        }
        return history
    }

    /// Edits with zooms, without waits, or both.
    ///
    /// - Parameter edits: keeps all but what is made.
    func automatic(
        _ edits: FilmEdits, _ history: InputHistory, zooms: Bool, tightens: Bool
    ) throws(EditingError) -> FilmEdits {
        guard zooms || tightens else { return edits }
        var edits = edits
        let known = index.inputCount > 0 ? history : try changes()
        let duration = index.videoDuration.seconds
        if zooms { edits.zooms = AutomaticZooms.make(of: known, duration: duration) }
        if tightens {
            // A peak for each tenth of a second.
            let peaks = try RecordingWaveform.make(of: self, most: Int(duration * 10) + 1)
            let tightening = Tightening(known, duration: duration, peaks: peaks)
            (edits.cuts, edits.speeds) = (tightening.cuts, tightening.speeds)
        }
        return edits
    }
}

/// The luma of the frame before.
private struct FrameCopy {
    private var bytes: [UInt8] = []
    private var size: PixelSize?

    /// The tiles that differ from the frame before; none of the first one.
    mutating func update(_ frame: PlanarFrame) -> DamageRegion {
        var changed = DamageRegion(size: frame.size)
        let (width, height, side) = (frame.size.width, frame.size.height, DamageRegion.tileSide)
        if size == frame.size {
            bytes.withUnsafeBufferPointer { old in
                guard let old = old.baseAddress else { return }
                for top in stride(from: 0, to: height, by: side) {
                    for left in stride(from: 0, to: width, by: side)
                    where kine_block_differs(
                        old + top * width + left, width, frame.y + top * frame.lumaStride + left, frame.lumaStride,
                        Int32(min(side, width - left)), Int32(min(side, height - top)))
                    { changed.insert(column: left / side, row: top / side) }
                }
            }
        }
        size = frame.size
        bytes = [UInt8](unsafeUninitializedCapacity: width * height) { target, count in
            for row in 0..<height {
                let line = UnsafeBufferPointer(start: frame.y + row * frame.lumaStride, count: width)
                _ = UnsafeMutableBufferPointer(rebasing: target[(row * width)...]).initialize(from: line)
            }
            count = width * height
        }
        return changed
    }
}

extension DamageRegion {
    fileprivate func union(_ other: DamageRegion) -> DamageRegion {
        guard size == other.size else { return other }
        var union = self
        union.formUnion(other)
        return union
    }
}
