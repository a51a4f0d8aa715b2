package dev.weir.lean;

/** How a lean producer compresses batches. */
public enum LeanCompression {
    NONE,
    GZIP,
    SNAPPY,
    LZ4,
    ZSTD
}
