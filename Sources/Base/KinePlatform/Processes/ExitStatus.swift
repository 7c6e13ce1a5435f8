// The exit statuses of Kinecast's processes.

/// Uses the numbers of sysexits.h if they fit.
public enum ExitStatus {
    public static let usage: Int32 = 64
    public static let unavailable: Int32 = 69
    public static let engineDied: Int32 = 70
    public static let cannotCreate: Int32 = 73
    public static let storageFailed: Int32 = 74
    public static let destinationFailed: Int32 = 75
    public static let noPermission: Int32 = 77
}
