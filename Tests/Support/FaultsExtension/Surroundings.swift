// What an extension sees of the machine it runs on, in short lines.
import Glibc

enum Surroundings {
    static func describe() -> [String] {
        [
            "environment \(environmentNames().joined(separator: " "))",
            "descriptors \(descriptors().joined(separator: " "))",
            "noNewPrivileges \(statusField("NoNewPrivs"))",
            "coreLimit \(limit(Int32(RLIMIT_CORE.rawValue)))", "dataLimit \(limit(Int32(RLIMIT_DATA.rawValue)))",
            "session \(getsid(0) == getpid()) directory \(directory())",
            "tracer \(statusField("TracerPid")) threads \(statusField("Threads"))",
        ]
    }

    private static func environmentNames() -> [String] {
        var names: [String] = []
        var entry = environ
        while let string = entry.pointee {
            names.append(String(String(cString: string).prefix { $0 != "=" }))
            entry += 1
        }
        return names.sorted()
    }

    /// What each open descriptor leads to, digits left out: "0:/dev/null" …
    private static func descriptors() -> [String] {
        (0..<1024).compactMap { descriptor -> String? in
            var buffer = [CChar](repeating: 0, count: 4096)
            let length = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
            guard length > 0 else { return nil }
            let target = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return "\(descriptor):\(target.prefix { $0 != "[" && $0 != " " })"
        }
    }

    private static func statusField(_ name: String) -> String {
        guard let status = fopen("/proc/self/status", "r") else { return "" }
        defer { fclose(status) }
        var line = [CChar](repeating: 0, count: 512)
        while fgets(&line, Int32(line.count), status) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix(name + ":") { return String(text.dropFirst(name.count + 1).filter { !$0.isWhitespace }) }
        }
        return ""
    }

    private static func limit(_ resource: Int32) -> UInt {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(UInt32(resource)), &limit)
        return limit.rlim_max
    }

    private static func directory() -> String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path)
    }
}
