package dev.weir.cli.terminal;

import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Escapes for text of records, exceptions and brokers that goes to a terminal. A terminal obeys control characters, and
 * shows text in another order than it is written if it is told to; a line break lets one line look like two. What is
 * escaped is {@code \n}, {@code \r}, {@code \t} or a Unicode escape of four digits. Stateless.
 */
public final class Printable {

    /** Joins the parts of emoji. */
    private static final int ZERO_WIDTH_JOINER = 0x200D;

    /** Part of words in Persian and Indic scripts. */
    private static final int ZERO_WIDTH_NON_JOINER = 0x200C;

    private Printable() {}

    /** The text on one line, whatever it holds. For all that a message takes from elsewhere. */
    public static String line(String text) {
        return escaped(text, false);
    }

    /**
     * The text with its line feeds and tabs. For lines whose parts were escaped one by one, and for JSON, which stays
     * valid.
     */
    public static String lines(String text) {
        return escaped(text, true);
    }

    /** As {@link #lines}, where only the first line begins at the margin, so that no other one can be taken for it. */
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
            // Orders to turn the direction of text, and characters without a shape.
            case Character.FORMAT -> point != ZERO_WIDTH_JOINER && point != ZERO_WIDTH_NON_JOINER;
            default -> false;
        };
    }

    private static String unicode(int each) {
        return String.format(Locale.ROOT, "\\u%04x", each);
    }

    /** A stream whose texts are {@linkplain #lines escaped}; bytes pass as they are. */
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
