// What all files here use.
@_exported import CoreTesting
@_exported import ProcessTesting
