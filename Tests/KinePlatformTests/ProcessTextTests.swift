// The files of /proc, as the kernel writes them, damaged, and with what a process can put into them.
import KinePlatform
import Testing

@Suite struct ProcessTextTests {
    private func processes(_ text: String) -> [Int32] {
        Array(text.utf8).withUnsafeBytes(ProcessText.processes(inChildren:))
    }

    private func usage(_ text: String) -> (bytes: Int, threads: Int) {
        Array(text.utf8).withUnsafeBytes(ProcessText.usage(inStatus:))
    }

    @Test func `children are numbers with a blank behind each, and what is no process is none`() {
        #expect(processes("12 345 ") == [12, 345])
        #expect(processes("12 345") == [12], "the last one may be cut off")
        // To kill(2), these would be groups of processes: 0 is the caller's own, -1 is everybody.
        #expect(processes("0 -1 4294967295 2147483648  x 7 ") == [7])
    }

    @Test func `memory is what is resident, in swap and in page tables, and none overflows`() {
        let status =
            "Name:\tVmRSS:\t9\nVmHWM:\t  99 kB\nVmRSS:\t 1000 kB\nVmPTE:\t  20 kB\nVmSwap:\t4 kB\nThreads:\t3\n"
        #expect(usage(status).bytes == 1 << 20 && usage(status).threads == 3)
        let ended = usage("State:\tZ (zombie)\nThreads:\t1\n")
        #expect(ended.bytes == 0 && ended.threads == 1)
        for text in ["", "VmRSS:", "VmRSS:\n\n"] { #expect(usage(text).bytes == 0 && usage(text).threads == 0) }
        #expect(usage("VmRSS:\t999999999999999999 kB").bytes == 1 << 48)
    }

    @Test(arguments: ["sh", "a) Z 1", ") ) Z (", "Z", "\n) Z 2\n("])
    func `a process's name changes neither its state nor where its arguments are`(name: String) {
        for state in ["S", "Z"] {
            let numbers = (4...52).map { String($0 * 10) }.joined(separator: " ")
            let stat = Array("1 (\(name)) \(state) \(numbers)\n".utf8)
            #expect(ProcessText.isZombie(inStat: stat) == (state == "Z"))
            #expect(ProcessText.argumentRange(inStat: stat) == 480..<490)
        }
    }

    @Test func `a stat that is not there is that of a process that is gone`() {
        #expect(ProcessText.isZombie(inStat: []))
        #expect(ProcessText.isZombie(inStat: Array("1 (sh)".utf8)))
        #expect(ProcessText.argumentRange(inStat: Array("1 (sh) S 1".utf8)) == nil)
    }

    @Test func `rights and variables are read from their own lines`() {
        func isSet(_ text: String) -> Bool? { ProcessText.hasNoNewPrivileges(inStatus: Array(text.utf8)) }
        #expect(isSet("Name:\tsh\nNoNewPrivs:\t1\nSeccomp:\t0\n") == true)
        #expect(isSet("Name:\tNoNewPrivs:\t1\nNoNewPrivs:\t0\n") == false)
        #expect(isSet("Name:\tsh\n") == nil)
        let environment = Array("REMARK=1\0MARK=2=3\0MARK=4\0".utf8)
        #expect(ProcessText.variable("MARK", inEnvironment: environment) == "2=3")
        #expect(ProcessText.variable("ARK", inEnvironment: environment) == nil)
    }

    @Test func `a group is one of the tree that this process sees`() {
        #expect(ProcessText.group(inCgroup: "1:name=x:/a\n0::/user.slice/a.scope\n") == "/user.slice/a.scope")
        #expect(ProcessText.group(inCgroup: "0::/\n") == "/")
        #expect(ProcessText.group(inCgroup: "1:name=x:/a\n") == nil)
        #expect(ProcessText.group(inCgroup: "0::/../../a.scope\n") == nil)
    }
}
