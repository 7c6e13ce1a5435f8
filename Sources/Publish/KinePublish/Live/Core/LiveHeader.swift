// What viewers need before the samples of one format. A stream has a new one each time its video's format changes.
import KineContainers
import KineMedia

/// The records before the samples of one format.
struct LiveHeader: Sendable {
    let format: LiveFormat
    /// The video and the first audio track: browsers play no more tracks of one file.
    let movie: FragmentedMovie
    /// The description and the initialization segments, in their order.
    let records: [LiveRecord]
    /// The number of the record after them in the history; 0 for the first format, which is not in it.
    var end = 0

    init(title: String, format: LiveFormat) {
        self.format = format
        movie = FragmentedMovie(video: format.video, audio: Array(format.audio.prefix(1)))
        let description = LiveDescription(title: title, format: format, movie: movie)
        var records = [LiveRecord(.description, content: description.json)]
        if let video = format.video, !format.audio.isEmpty {
            let movie = FragmentedMovie(video: video, audio: [])
            records.append(LiveRecord(.videoInitialization, content: movie.initializationSegment))
        }
        records.append(LiveRecord(.initialization, content: movie.initializationSegment))
        self.records = records
    }
}
