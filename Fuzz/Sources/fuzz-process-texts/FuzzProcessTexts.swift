// Gives libFuzzer's bytes to the readers of /proc: as whole files, and as the parts of them that a process chooses itself, its name
// and its environment. Whatever they are: no crash, no process that is none, and no part that passes for another.
import FuzzDriver
import KinePlatform

@_cdecl("fuzz_process_texts_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

private let newline = UInt8(ascii: "\n")

/// One input: its first byte says which file the rest is, or is a part of.
private func fuzz(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let rest = Array(input.dropFirst())
    switch choice % 6 {
    case 0: checkChildren(rest)
    case 1:
        let used = rest.withUnsafeBytes(ProcessText.usage(inStatus:))
        precondition(0...(1 << 48) ~= used.bytes && used.threads >= 0, "\(used)")
    case 2: checkStat(rest, state: choice & 64 == 0 ? "S" : "Z")
    case 3: checkStatus(rest)
    case 4: checkEnvironment(rest)
    default:
        guard let group = ProcessText.group(inCgroup: String(decoding: rest, as: UTF8.self)) else { break }
        precondition(group.hasPrefix("/"), "a group outside of the tree")
        precondition(!group.split(separator: "/").contains(".."), "a group that leads out of the tree")
    }
}

private func checkChildren(_ text: [UInt8]) {
    let processes = text.withUnsafeBytes(ProcessText.processes(inChildren:))
    precondition(processes.allSatisfy { $0 > 0 }, "a group of processes")
    let written = Array(processes.map { "\($0) " }.joined().utf8)
    precondition(written.withUnsafeBytes(ProcessText.processes(inChildren:)) == processes, "a number changed")
    // The last one may be cut off.
    let cut = written + Array("12".utf8)
    precondition(cut.withUnsafeBytes(ProcessText.processes(inChildren:)) == processes, "a number out of a cut one")
}

/// As the whole file, and as a name of 15 bytes at most (prctl(2), PR_SET_NAME).
private func checkStat(_ text: [UInt8], state: String) {
    _ = ProcessText.isZombie(inStat: text)
    if let range = ProcessText.argumentRange(inStat: text) {
        precondition(range.lowerBound > 0 && !range.isEmpty, "arguments that are nowhere")
    }
    let numbers = (4...52).map { "\($0 * 1000)" }.joined(separator: " ")
    let stat = Array("123 (".utf8) + text.prefix(15) + Array(") \(state) \(numbers)\n".utf8)
    precondition(ProcessText.isZombie(inStat: stat) == (state == "Z"), "its name changed its state")
    precondition(ProcessText.argumentRange(inStat: stat) == 48_000..<49_000, "its name moved its arguments")
}

/// The kernel writes a newline in a name as two characters.
private func checkStatus(_ text: [UInt8]) {
    _ = ProcessText.hasNoNewPrivileges(inStatus: text)
    let name = Array("Name:\t".utf8) + text.filter { $0 != newline } + [newline]
    for (digit, isSet) in [("0", false), ("1", true)] {
        let status = name + Array("Umask:\t0022\nNoNewPrivs:\t\(digit)\nSeccomp:\t2\n".utf8)
        precondition(ProcessText.hasNoNewPrivileges(inStatus: status) == isSet, "its name changed its rights")
    }
}

private func checkEnvironment(_ text: [UInt8]) {
    let own = ProcessText.variable("MARK", inEnvironment: text)
    let marked = Array("MARK=1.2\0".utf8) + text
    precondition(ProcessText.variable("MARK", inEnvironment: marked) == "1.2", "the first one counts")
    let other = Array("REMARK=1.2\0MARK".utf8) + [0] + text
    precondition(ProcessText.variable("MARK", inEnvironment: other) == own, "another variable was taken")
    precondition(own?.utf8.contains(0) != true, "a value that goes on behind its end")
}
