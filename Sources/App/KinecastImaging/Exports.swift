// Sizes, shapes, damage and pixels are KineMedia's: who imports this module has them too.
@_exported import KineMedia
