package dev.weir.examples.asimov;

/**
 * Compresses and decompresses text like the npm package lz-string 1.5, in its four forms. Thread-safe.
 *
 * <p>Compression returns the same characters as the package. Decompression is stricter: it throws where the package
 * returns null or an empty string, or reads characters outside the alphabet as zero bits. Both ignore characters after
 * the stream's end mark.
 */
public final class LzString {

    private LzString() {}

    /** Compresses to arbitrary UTF-16 code units, including lone surrogates: suitable for memory, not for transport. */
    public static String compress(String text) {
        return LzCompressor.compress(text, LzForm.PLAIN).toString();
    }

    /** Compresses to characters that survive UTF-8 and UTF-16 transport, with 15 bits in each character. */
    public static String compressToUtf16(String text) {
        return LzCompressor.compress(text, LzForm.UTF16).append(' ').toString();
    }

    /** Compresses to padded Base64. */
    public static String compressToBase64(String text) {
        StringBuilder out = LzCompressor.compress(text, LzForm.BASE64);
        while (out.length() % 4 != 0) {
            out.append('=');
        }
        return out.toString();
    }

    /** Compresses to characters that need no escaping in a URL. */
    public static String compressToUriComponent(String text) {
        return LzCompressor.compress(text, LzForm.URI).toString();
    }

    /** Reverses {@link #compress}; fails if the text would be longer than {@code maxChars}. */
    public static String decompress(String compressed, int maxChars) throws LzStringException {
        return LzDecompressor.decompress(compressed, LzForm.PLAIN, maxChars);
    }

    /** Reverses {@link #compressToUtf16}; fails if the text would be longer than {@code maxChars}. */
    public static String decompressFromUtf16(String compressed, int maxChars) throws LzStringException {
        return LzDecompressor.decompress(compressed, LzForm.UTF16, maxChars);
    }

    /** Reverses {@link #compressToBase64}; fails if the text would be longer than {@code maxChars}. */
    public static String decompressFromBase64(String compressed, int maxChars) throws LzStringException {
        return LzDecompressor.decompress(compressed, LzForm.BASE64, maxChars);
    }

    /**
     * Does the same as {@link #decompressFromUtf16}, but returns UTF-8, with each lone surrogate replaced by U+FFFD.
     */
    public static byte[] decompressFromUtf16ToUtf8(String compressed, int maxChars) throws LzStringException {
        return LzDecompressor.decompressToUtf8(compressed, LzForm.UTF16, maxChars);
    }

    /**
     * Does the same as {@link #decompressFromBase64}, but returns UTF-8, with each lone surrogate replaced by U+FFFD.
     */
    public static byte[] decompressFromBase64ToUtf8(String compressed, int maxChars) throws LzStringException {
        return LzDecompressor.decompressToUtf8(compressed, LzForm.BASE64, maxChars);
    }

    /**
     * Reverses {@link #compressToUriComponent}; fails if the text would be longer than {@code maxChars}. Spaces are
     * read as '+', because form decoders turn '+' into a space.
     */
    public static String decompressFromUriComponent(String compressed, int maxChars) throws LzStringException {
        return LzDecompressor.decompress(compressed, LzForm.URI, maxChars);
    }
}
