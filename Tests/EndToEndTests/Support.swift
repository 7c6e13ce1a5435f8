@_exported import CoreTesting
// What all files here use.
@_exported import ProcessTesting
