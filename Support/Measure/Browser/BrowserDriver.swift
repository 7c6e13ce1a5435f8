// Starting the programs that drive a browser over HTTP: chromedriver and WebKitWebDriver.
import CLinux
import Glibc
import KinePlatform
import SystemPackage

struct BrowserDriver {
    let process: ChildProcess
    /// The port on 127.0.0.1 that the driver listens on.
    let port: UInt16
    /// Open as long as the driver runs, which may print more.
    var output: FileDescriptor?

    /// It takes a free port, and prints which. Now and then it ends at once instead; it is started again then.
    static func chromedriver(_ environment: [String], attempts: Int = 3) throws -> BrowserDriver {
        let pipe = try FileDescriptor.pipe()
        let driver: ChildProcess
        do {
            defer { try? pipe.writeEnd.close() }
            driver = try start("chromedriver", ["--port=0"], environment, output: pipe.writeEnd)
        }
        let deadline = MonotonicClock.now() + Tool.timeout
        var said: [String] = []
        while let line = Tool.readLine(pipe.readEnd, until: deadline) {
            said.append(line)
            guard line.contains("started successfully on port") else { continue }
            if let port = line.split(whereSeparator: { !$0.isNumber }).last.flatMap({ UInt16($0) }) {
                return BrowserDriver(process: driver, port: port, output: pipe.readEnd)
            }
        }
        try? pipe.readEnd.close()
        let ending = driver.end(signal: SIGKILL, deadline: MonotonicClock.now())
        guard attempts > 1 else {
            throw Browser.Error.noAnswer("chromedriver did not say its port, \(ending): \(said)")
        }
        return try chromedriver(environment, attempts: attempts - 1)
    }

    /// It has to be given a port, and prints nothing: it is ready when the port takes connections.
    static func webKitWebDriver(_ environment: [String]) throws -> BrowserDriver {
        let port = UInt16(try Loopback.freePort())
        let driver = try start(
            "WebKitWebDriver", ["--host=127.0.0.1", "--port=\(port)"], environment, output: nil)
        let deadline = MonotonicClock.now() + Tool.timeout
        while true {
            if Loopback.connects(to: Int(port)) { return BrowserDriver(process: driver, port: port) }
            guard MonotonicClock.now() < deadline, driver.poll() == nil else { break }
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 10_000_000)
        }
        throw Browser.Error.noAnswer(
            "WebKitWebDriver took no connection: \(driver.end(signal: SIGKILL, deadline: MonotonicClock.now()))")
    }

    /// WebKitGTK's browser is not on the search path.
    static func miniBrowser() throws -> String {
        #if arch(arm64)
            let triplet = "aarch64-linux-gnu"
        #else
            let triplet = "x86_64-linux-gnu"
        #endif
        let path = "/usr/lib/\(triplet)/webkit2gtk-4.1/MiniBrowser"
        guard access(path, X_OK) == 0 else { throw Tool.Error.missing(name: path, package: "webkit2gtk-driver") }
        return path
    }

    static func start(
        _ name: String, _ arguments: [String], _ environment: [String], output: FileDescriptor?
    ) throws -> ChildProcess {
        var options = ChildProcess.Options()
        options.descriptors = [nil, output, nil]
        options.parentDeathSignal = SIGTERM
        options.newProcessGroup = true
        return try ChildProcess(
            executable: try Tool.path(of: name), arguments: arguments, environment: environment, options: options)
    }
}
