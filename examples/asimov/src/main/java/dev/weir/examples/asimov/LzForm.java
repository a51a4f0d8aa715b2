package dev.weir.examples.asimov;

import java.util.Arrays;

/**
 * The alphabet of one form of LZ-string: which character encodes which bits, and how many. Immutable.
 *
 * <p>A stream fills each character from the highest bit down, but its codes start with their lowest bit. The compressor
 * and the decompressor therefore reverse the bits of each character.
 */
enum LzForm {
    PLAIN(16, 0, ""),
    UTF16(15, ' ', ""),
    BASE64(6, 0, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
    URI(6, 0, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-");

    /** The result of {@link #reversedBits} for a character outside the alphabet. */
    static final int FOREIGN = -1;

    final int bitsPerSymbol;

    private final int firstSymbol;
    private final String alphabet;
    // Only the constructor writes it.
    @SuppressWarnings("ImmutableEnumChecker")
    private final byte[] reversedByAscii;

    LzForm(int bitsPerSymbol, int firstSymbol, String alphabet) {
        this.bitsPerSymbol = bitsPerSymbol;
        this.firstSymbol = firstSymbol;
        this.alphabet = alphabet;
        this.reversedByAscii = new byte[alphabet.isEmpty() ? 0 : 128];
        Arrays.fill(reversedByAscii, (byte) FOREIGN);
        for (int value = 0; value < alphabet.length(); value++) {
            reversedByAscii[alphabet.charAt(value)] = (byte) reverse(value);
        }
        if (alphabet.endsWith("-")) {
            reversedByAscii[' '] = reversedByAscii['+'];
        }
    }

    /** Returns the bits of {@code symbol}, with the stream's first bit in the lowest position, or {@link #FOREIGN}. */
    int reversedBits(char symbol) {
        if (reversedByAscii.length > 0) {
            return symbol < reversedByAscii.length ? reversedByAscii[symbol] : FOREIGN;
        }
        int value = symbol - firstSymbol;
        return value >= 0 && value < 1 << bitsPerSymbol ? reverse(value) : FOREIGN;
    }

    /** Returns the character that carries {@code reversedBits}. */
    char symbol(int reversedBits) {
        int value = reverse(reversedBits);
        return alphabet.isEmpty() ? (char) (value + firstSymbol) : alphabet.charAt(value);
    }

    private int reverse(int value) {
        return Integer.reverse(value) >>> (Integer.SIZE - bitsPerSymbol);
    }
}
