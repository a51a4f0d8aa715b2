package dev.weir.examples.asimov;

/** String functions that several steps need. Thread-safe. */
public final class Text {
    private static final char REPLACEMENT = '\uFFFD';

    private Text() {}

    /** Returns {@code text} with each lone surrogate replaced by U+FFFD, so that UTF-8 can encode it. */
    public static String wellFormed(String text) {
        int lone = loneSurrogate(text, 0);
        if (lone < 0) {
            return text;
        }
        StringBuilder fixed = new StringBuilder(text);
        while (lone >= 0) {
            fixed.setCharAt(lone, REPLACEMENT);
            lone = loneSurrogate(text, lone + 1);
        }
        return fixed.toString();
    }

    /** Returns the index of the first lone surrogate at or after {@code from}, or -1. */
    private static int loneSurrogate(String text, int from) {
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean paired = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!paired) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }

    /** Returns {@code text} in quotes, shortened to fit in a message. */
    public static String quoted(String text) {
        int most = 80;
        return '"' + (text.length() <= most ? text : text.substring(0, most) + "...") + '"';
    }
}
