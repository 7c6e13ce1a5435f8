// Sample times, sizes, damage and pixels are KineMedia's: a program that imports this module only has them too.
@_exported import KineMedia
