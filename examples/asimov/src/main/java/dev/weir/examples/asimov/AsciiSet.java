package dev.weir.examples.asimov;

/**
 * A set of ASCII characters as bits. Immutable.
 *
 * @param low bits of U+0000 to U+003F
 * @param high bits of U+0040 to U+007F
 */
record AsciiSet(long low, long high) {

    /** Returns the set of the characters of {@code text}, which must be ASCII. */
    static AsciiSet of(String text) {
        long low = 0;
        long high = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c > 0x7F) {
                throw new IllegalArgumentException("not ASCII: " + Text.quoted(text));
            }
            // A shift by c uses only the lowest six bits of c, so characters from 0x40 on need no subtraction.
            low |= c < 0x40 ? 1L << c : 0;
            high |= c < 0x40 ? 0 : 1L << c;
        }
        return new AsciiSet(low, high);
    }

    boolean has(char c) {
        return c <= 0x7F && ((c < 0x40 ? low : high) >>> c & 1) != 0;
    }
}
