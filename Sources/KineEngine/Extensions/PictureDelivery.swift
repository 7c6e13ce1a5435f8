// The thread that delivers uncompressed pictures at a lower rate, a smaller size or in another pixel format than the encoder's.
// It looks at the newest picture only, when one of its readers is due, so capture is never held up.
import KineImaging
import KineMedia
import KinePlatform
import KineRelay
import SystemPackage

final class PictureDelivery: Sendable {
    private struct Frame: Sendable {
        var picture: PictureRing.Picture
        var time: MediaTime
        var duration: MediaTime
        var sequence: UInt64
    }

    /// One feed that is served here.
    private struct Member: Sendable {
        let feed: ExtensionFeed
        let reader: PictureReader
        /// nil: the encoder's own pictures, only at a lower rate.
        let converted: ConvertedPictures?
        var pacer: FramePacer?
        /// The last picture that it was served.
        var sequence: UInt64 = 0

        func isDue(_ frame: Frame, at now: Int64) -> Bool {
            sequence < frame.sequence && now >= pacer?.earliest ?? .min
        }
    }

    private struct State {
        var newest: Frame?
        var sequence: UInt64 = 0
        /// What changed since the thread last took the newest picture.
        var changed: DamageRegion
        var members: [Member] = []
        var groups: [ConvertedPictures] = []
        var isFinished = false
    }

    private let state: Monitor<State>
    private let thread: DedicatedThread
    private let retain: @Sendable (PictureRing.Picture) -> Void
    private let release: @Sendable (PictureRing.Picture) -> Void

    /// `size`: of the encoder's pictures in memory. `loans`: theirs. `release`: gives one back.
    init(size: PixelSize, loans: SlotLoans, release: @escaping @Sendable (PictureRing.Picture) -> Void) throws(Errno) {
        let state = Monitor(State(changed: DamageRegion(size: size)))
        self.state = state
        self.release = release
        let retain: @Sendable (PictureRing.Picture) -> Void = { loans.retain($0.slot) }
        self.retain = retain
        thread = try DedicatedThread(starting: "pictures") {
            while let work = Self.next(state, retain: retain) {
                Self.deliver(work.frame, changed: work.changed, work.members, work.groups, due: work.due)
                release(work.frame.picture)
            }
        }
    }

    /// Converts for readers that come later. `group` is what `add` will name.
    func prepare(_ group: ConvertedPictures) { state.withLock { $0.groups.append(group) } }

    /// From now on `feed` is served. `framesPerSecond` nil: every picture there is time for.
    func add(_ feed: ExtensionFeed, _ reader: PictureReader, from group: ConvertedPictures?, framesPerSecond: Int?) {
        state.withLock {
            // The picture that is there is as old as the screen has stood still: the next one is asked for.
            $0.members.append(
                Member(
                    feed: feed, reader: reader, converted: group,
                    pacer: framesPerSecond.map { FramePacer(framesPerSecond: $0) }, sequence: $0.sequence))
        }
    }

    func remove(_ feed: ExtensionFeed) { state.withLock { $0.members.removeAll { $0.feed === feed } } }

    /// A new picture, which the caller has lent for the call. On the capture thread.
    func take(_ picture: PictureRing.Picture, at time: MediaTime, duration: MediaTime) {
        let (previous, isAwaited) = state.withLock { state -> (PictureRing.Picture?, Bool) in
            state.changed.formUnion(picture.changed)
            let previous = state.newest.take()?.picture
            guard !state.members.isEmpty else { return (previous, false) }
            retain(picture)
            state.sequence += 1
            state.newest = Frame(picture: picture, time: time, duration: duration, sequence: state.sequence)
            return (previous, true)
        }
        if let previous { release(previous) }
        if isAwaited { state.signal { _ in } }
    }

    /// Ends the thread. Readers that are not due yet get the last picture all the same.
    func finish() {
        state.signal { $0.isFinished = true }
        thread.join()
        if let picture = state.withLock({ $0.newest.take()?.picture }) { release(picture) }
    }

    // MARK: The thread

    private struct Work {
        let frame: Frame
        let changed: DamageRegion
        let members: [Member]
        let groups: [ConvertedPictures]
        let due: [Bool]
    }

    /// Waits until a reader is due; nil at the end.
    private static func next(
        _ state: Monitor<State>, retain: (PictureRing.Picture) -> Void
    ) -> Work? {
        var deadline: Int64?
        while true {
            let found = state.wait(until: deadline) { state -> (work: Work?, deadline: Int64?)? in
                let now = MonotonicClock.now()
                guard let frame = state.newest else { return state.isFinished ? (nil, nil) : nil }
                let due = state.members.map { $0.isDue(frame, at: state.isFinished ? .max : now) }
                guard due.contains(true) else {
                    if state.isFinished { return (nil, nil) }
                    let next = state.members.filter { $0.sequence < frame.sequence }
                        .compactMap { $0.pacer?.earliest }.min()
                    // A deadline can only be given before the wait begins.
                    return next == deadline || next == nil ? nil : (nil, next)
                }
                for index in state.members.indices where due[index] {
                    state.members[index].sequence = frame.sequence
                    state.members[index].pacer?.took(at: now)
                }
                retain(frame.picture)
                defer { state.changed.removeAll() }
                return (
                    Work(
                        frame: frame, changed: state.changed, members: state.members, groups: state.groups, due: due),
                    nil
                )
            }
            guard let found else {
                deadline = nil
                continue
            }
            if let work = found.work { return work }
            guard let next = found.deadline else { return nil }
            deadline = next
        }
    }

    private static func deliver(
        _ frame: Frame, changed: DamageRegion, _ members: [Member], _ groups: [ConvertedPictures], due: [Bool]
    ) {
        for group in groups { group.note(changed) }
        for member in members where member.converted == nil { member.reader.note(changed) }
        for (member, isDue) in zip(members, due) where isDue {
            var slot = frame.picture.slot
            if let group = member.converted {
                guard let converted = group.slot(for: frame.picture, sequence: frame.sequence) else { continue }
                slot = converted.slot
                if let changed = converted.changed {
                    for other in members where other.converted === group { other.reader.note(changed) }
                }
            }
            member.feed.offer(
                slot: slot, at: frame.time,
                duration: member.pacer.map { MediaTime(nanoseconds: $0.interval) } ?? frame.duration,
                changed: DamageRegion(size: member.converted?.size ?? frame.picture.planes.size))
        }
    }
}
