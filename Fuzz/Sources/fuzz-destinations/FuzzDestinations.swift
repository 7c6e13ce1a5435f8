// Gives libFuzzer's bytes to the readers of destinations: the file behind --to @NAME, and the one of --to-file. Whatever they are: no
// crash, the same from a file as from standard input, a sentence without any address where they cannot be used, and names for the
// destinations that do not depend on what may be a secret.
import FuzzDriver
import KineMedia
import KineProgram
import KineRTMP
import KineServices
import KineText
import SystemPackage

@_cdecl("fuzz_destinations_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// A directory for configuration with the file of destinations in it.
private let folder = Folder(directories: ["kinecast"])
private let file = "kinecast/destinations"

/// One input: the text of a file.
private func fuzz(_ bytes: [UInt8]) {
    folder.write(bytes, to: file)
    let text = String(decoding: bytes, as: UTF8.self)
    let addresses = read([], ["-"], input: text) ?? []
    let again = read([], [folder.path(of: file)]) ?? []
    precondition(addresses == again, "a file is read in another way than standard input")
    if let named = read(["@a"], [])?.first {
        precondition(text.utf8.count >= named.text.utf8.count + 2, "an address out of nothing")
    }
    for address in addresses { checkName(address) }
    checkPlan(Array(addresses.prefix(8)))
}

/// Nil where they cannot be used, which is told in one sentence.
private func read(_ typed: [String], _ files: [String], input: String = "") -> [DestinationAddress]? {
    let reader = DestinationReader(
        environment: { $0 == "XDG_CONFIG_HOME" ? folder.path : nil }, path: { FilePath($0) },
        standardInput: { input })
    do {
        return try reader.addresses(typed.compactMap(DestinationSource.init), files: files)
    } catch let failure as CommandFailure {
        // The only address in it is the example.
        let parts = failure.message.split(separator: "rtmp://HOST/APP/KEY", omittingEmptySubsequences: false)
        precondition(!parts.contains { $0.contains("://") }, "a sentence with an address: \(failure.message)")
        checkPrintable(failure.message)
        return nil
    } catch {
        preconditionFailure("\(error)")
    }
}

private func checkPrintable(_ text: String) {
    precondition(text.isPrintable, "it steers the terminal")
}

/// The label of an address must not depend on its key or its user.
private func checkName(_ address: DestinationAddress) {
    checkPrintable(address.publicPart)
    precondition(!address.publicPart.utf8.prefix { $0 != 0x2F }.contains(0x40), "a user, and perhaps a password")
    precondition(
        address.holdsSecret
            || address.text.utf8.dropFirst(address.scheme.utf8.count + 3).elementsEqual(address.publicPart.utf8),
        "what is left out is not noticed")
    guard let url = try? RTMPURL(address.text), let first = url.streamName.first, first != "?", first != "#" else {
        return
    }
    let other = String(decoding: address.text.utf8.dropLast(url.streamName.utf8.count), as: UTF8.self) + "another"
    guard let changed = DestinationAddress(other) else { preconditionFailure("another key makes it no address") }
    precondition(changed.publicPart.utf8.elementsEqual(address.publicPart.utf8), "the key is in the name")
}

private func checkPlan(_ addresses: [DestinationAddress]) {
    let destinations: [TakeConfiguration.Destination]
    do throws(CommandFailure) {
        destinations = try DestinationPlan(addresses: addresses).destinations(among: BuiltInServices.manifests)
    } catch {
        return checkPrintable(error.message)
    }
    precondition(addresses.isEmpty || destinations.count == addresses.count, "a destination too few")
    precondition(Set(destinations.map(\.label)).count == destinations.count, "two have one name")
    for (destination, address) in zip(destinations, addresses) {
        precondition(destination.setupInfo[Service.addressKey] == address.text, "another address")
        checkPrintable(destination.label)
    }
}
