// Recordings of real screens and audio, judged by what others find in the files.
import Testing

/// One at a time: each of them wants a processor for its screen and one for its recorder.
@Suite(.serialized, .tags(.real, .programs, .long)) enum MediaTests {}
