package dev.weir.lean;

/** The compression of a lean producer's batches. */
public enum LeanCompression {
    NONE,
    GZIP,
    SNAPPY,
    LZ4,
    ZSTD
}
