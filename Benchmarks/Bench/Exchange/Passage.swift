// The frames that an extension has passed on, matched with those that an app has received.

/// The accounts of both ends of one take, matched by presentation time.
struct Passage {
    /// For each frame that both had, nanoseconds from the entry of the extension's handler to the entry of the app's.
    let delays: [Int64]
    /// Frames of the extension, between the app's first and last, that the app did not get.
    let missing: Int

    /// Both in the order of arrival. Frames from before the app was connected, and from after it had ended, do not count.
    init(sent: [MeterAccount.Arrival], received: [MeterAccount.Arrival]) {
        let instants = Dictionary(received.map { ($0.presentationTime, $0.instant) }) { first, _ in first }
        let matched = sent.indices.filter { instants[sent[$0].presentationTime] != nil }
        delays = matched.compactMap { index in
            instants[sent[index].presentationTime].map { $0 - sent[index].instant }
        }
        guard let first = matched.first, let last = matched.last else {
            missing = sent.count
            return
        }
        missing = last - first + 1 - matched.count
    }
}
