package dev.weir.bench.workload;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Computes short digests of strings. Stateless, thread-safe. */
public final class Digests {
    private static final int BYTES = 6;

    private Digests() {}

    /** Returns the digest of a string: twelve hexadecimal digits, which can be part of a file name. */
    public static String of(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
