package dev.weir.command.terminal;

import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Escapes text from records, exceptions and brokers for a terminal, which obeys control characters and direction marks.
 * Escapes are {@code \n}, {@code \r}, {@code \t} or a four-digit Unicode escape. Stateless.
 */
public final class Printable {

    /** Joins the parts of emoji. */
    private static final int ZERO_WIDTH_JOINER = 0x200D;

    /** An invisible character within words of Persian and Indic scripts. It is not escaped. */
    private static final int ZERO_WIDTH_NON_JOINER = 0x200C;

    private Printable() {}

    /** Returns external text as one line for messages, with dangerous characters escaped. */
    public static String line(String text) {
        return escaped(text, false);
    }

    /**
     * Escapes dangerous characters but keeps line feeds and tabs. For JSON, and for text whose lines are already
     * escaped.
     */
    public static String lines(String text) {
        return escaped(text, true);
    }

    /** Does the same as {@link #lines}, and indents all lines after the first, so that they look like one message. */
    public static String indented(String text) {
        return lines(text.stripTrailing()).replace("\n", "\n  ");
    }

    private static String escaped(String text, boolean keepsLines) {
        StringBuilder escaped = null;
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            int chars = Character.charCount(point);
            boolean isKept = !isDangerous(point) || (keepsLines && isOfLines(text, i));
            if (!isKept && escaped == null) {
                escaped = new StringBuilder(text.length() + 16).append(text, 0, i);
            }
            if (escaped != null && isKept) {
                escaped.appendCodePoint(point);
            } else if (escaped != null) {
                text.substring(i, i + chars).chars().forEach(escapedChar(escaped));
            }
            i += chars;
        }
        return escaped == null ? text : escaped.toString();
    }

    private static IntConsumer escapedChar(StringBuilder to) {
        return each -> {
            switch (each) {
                case '\n' -> to.append("\\n");
                case '\r' -> to.append("\\r");
                case '\t' -> to.append("\\t");
                default -> to.append(unicode(each));
            }
        };
    }

    private static boolean isOfLines(String text, int at) {
        char each = text.charAt(at);
        return each == '\n' || each == '\t' || (each == '\r' && text.startsWith("\n", at + 1));
    }

    private static boolean isDangerous(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE ->
                true;
            // This category contains invisible characters and direction marks.
            case Character.FORMAT -> point != ZERO_WIDTH_JOINER && point != ZERO_WIDTH_NON_JOINER;
            default -> false;
        };
    }

    private static String unicode(int each) {
        return String.format(Locale.ROOT, "\\u%04x", each);
    }

    /** Returns a stream that {@linkplain #lines escapes} text and passes bytes unchanged. */
    public static PrintStream stream(PrintStream to) {
        return new Escaping(to, to.charset());
    }

    private static final class Escaping extends PrintStream {

        Escaping(PrintStream to, Charset charset) {
            super(to, true, charset);
        }

        @Override
        public void print(@Nullable String text) {
            super.print(text == null ? null : lines(text));
        }
    }
}
