// The wall clock in the user's time zone, by the C library: Foundation would cost megabytes.
import Glibc

public enum LocalTime {
    /// Formats an instant (seconds since 1970, UTC) in local time, as `strftime` does.
    public static func text(_ format: String, at seconds: Int = time(nil)) -> String {
        var instant: time_t = seconds
        var parts = tm()
        localtime_r(&instant, &parts)
        var buffer = [CChar](repeating: 0, count: 128)
        let length = strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
