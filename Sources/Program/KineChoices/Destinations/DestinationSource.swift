// Addresses of destinations, typed or read from a place that hides their stream keys. No message repeats a possible
// secret.
import KineMedia
import KinePlatform
import KineProgram
import KineServices
import KineText
import SystemPackage

/// One `--to` argument.
package enum DestinationSource: Equatable {
    case address(DestinationAddress)
    /// `@NAME`: a line of the user's file of destinations.
    case named(String)
    /// `env:VARIABLE`.
    case variable(String)

    /// Nil for any other text. Blanks at its ends, such as the end of a line of `$(cat FILE)`, are ignored.
    package init?(_ typed: String) {
        let text = typed.trimmed
        if text.hasPrefix("@") {
            guard text.dropFirst().isPlainName else { return nil }
            self = .named(String(text.dropFirst()))
        } else if text.hasPrefix("env:"), !text.hasPrefix("env://") {
            let name = text.dropFirst(4)
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "=") }) else {
                return nil
            }
            self = .variable(String(name))
        } else {
            guard let address = DestinationAddress(text) else { return nil }
            self = .address(address)
        }
    }
}

/// Reads the addresses of all `--to` and `--to-file` arguments.
package struct DestinationReader {
    /// Returns a variable's value.
    package var environment: (String) -> String?
    /// Makes a typed file name an absolute path.
    package var path: (String) throws -> FilePath
    package var standardInput: () throws -> String

    package init(
        environment: @escaping (String) -> String?, path: @escaping (String) throws -> FilePath,
        standardInput: @escaping () throws -> String
    ) {
        (self.environment, self.path, self.standardInput) = (environment, path, standardInput)
    }

    /// The user's file of destinations, by the XDG Base Directory Specification; nil if HOME is not set either.
    package var destinationsFile: FilePath? {
        UserDirectories.configuration(environment)?.appending("kinecast/destinations")
    }

    /// The addresses of `--to` in their order, then the files' addresses.
    package func addresses(_ sources: [DestinationSource], files: [String]) throws -> [DestinationAddress] {
        try sources.map(address) + files.flatMap(addresses)
    }

    /// The one address with the stream key from the file appended. Throws unless there is one.
    package func address(_ addresses: [DestinationAddress], withKeyIn file: String) throws -> DestinationAddress {
        guard let address = addresses.first, addresses.count == 1, !address.text.contains(where: { "?#".contains($0) })
        else {
            throw CommandFailure.usage(
                "--stream-key-file is for one address without a key; give one --to rtmp://HOST/APP.")
        }
        guard let lines = try PrivateFile(path: path(file), name: "--stream-key-file", content: "a stream key").lines()
        else {
            throw CommandFailure.usage("The file \(file), named by --stream-key-file, is not there; correct its name.")
        }
        let texts = lines.map { DestinationAddress.text(server: address.text, key: $0.text) }
        guard texts.count == 1, let whole = DestinationAddress(texts[0]) else {
            throw CommandFailure.usage(
                "The file \(file), named by --stream-key-file, does not hold one line with a stream key; "
                    + "write the key into it, and nothing else.")
        }
        return whole
    }

    private func address(of source: DestinationSource) throws -> DestinationAddress {
        switch source {
        case .address(let address): return address
        case .named(let name): return try named(name)
        case .variable(let name):
            guard let text = environment(name) else {
                throw CommandFailure.usage(
                    "The variable \(name), named by --to env:\(name), is not set; put the address into it.")
            }
            guard let address = DestinationAddress(text.trimmed) else {
                throw CommandFailure.usage(
                    "The variable \(name), named by --to env:\(name), does not hold an address; "
                        + Self.example)
            }
            return address
        }
    }

    private static let example = "write one such as rtmp://HOST/APP/KEY."

    private func named(_ name: String) throws -> DestinationAddress {
        guard let path = destinationsFile else {
            throw CommandFailure.usage(
                "--to @\(name) is looked up under XDG_CONFIG_HOME or HOME, and neither is set; set one.")
        }
        guard let lines = try PrivateFile(path: path, name: "--to @\(name)").lines() else {
            throw CommandFailure.usage(
                "There is no file \(path), in which --to @\(name) is looked up; "
                    + "write it with lines of NAME and URL, and chmod 600 it.")
        }
        var known: [String: DestinationAddress] = [:]
        for line in lines {
            let words = line.text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            guard words.count == 2, words[0].isPlainName,
                let address = DestinationAddress(String(words[1].drop(while: \.isWhitespace)))
            else {
                throw CommandFailure.usage(
                    "Line \(line.number) of \(path) is not a name, a blank and an address; "
                        + "write it as NAME rtmp://HOST/APP/KEY.")
            }
            guard known.updateValue(address, forKey: String(words[0])) == nil else {
                throw CommandFailure.usage(
                    "Line \(line.number) of \(path) has the name \(words[0]) a second time; give it another.")
            }
        }
        guard let address = known[name] else {
            let names = known.keys.sorted()
            throw CommandFailure.usage(
                "No line of \(path) has the name \(name); "
                    + (names.isEmpty ? "it has none yet." : "it has \(Quantity.list(names))."))
        }
        return address
    }

    private func addresses(in file: String) throws -> [DestinationAddress] {
        let isInput = file == "-"
        let name = isInput ? "standard input" : file
        let lines: [(number: Int, text: String)]
        if isInput {
            lines = PrivateFile.lines(of: try standardInput())
        } else {
            guard let read = try PrivateFile(path: path(file), name: "--to-file").lines() else {
                throw CommandFailure.usage("The file \(file), named by --to-file, is not there; correct its name.")
            }
            lines = read
        }
        guard !lines.isEmpty else {
            throw CommandFailure.usage("There is no address in \(name), named by --to-file; write one to a line.")
        }
        return try lines.map { line in
            guard let address = DestinationAddress(line.text) else {
                throw CommandFailure.usage("Line \(line.number) of \(name) is not an address; \(Self.example)")
            }
            return address
        }
    }
}
