package dev.weir.examples.asimov;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The payloads that a generator's events share, compressed once. Immutable, thread-safe.
 *
 * <p>Sizes before compression are approximately log-normal, from 100 to 50,000 characters. Both ends of the range
 * occur.
 */
final class PayloadPool {
    static final int PAYLOADS = 512;
    static final int MIN_CHARS = 100;
    static final int MAX_CHARS = 50_000;

    static final int MEDIAN_CHARS = 600;

    private static final double SPREAD = 1.0;

    private static final String[] TITLES = {
        "Übersicht",
        "Café & crème",
        "お気に入りの商品",
        "Каталог товаров",
        "Wetterbericht für Zürich",
        "Home",
        "Search results",
        "🛒 Basket"
    };
    private static final String[] SELECTORS = {
        "main > ul:nth-child(3) > li",
        "#buy",
        "header nav a.logo",
        ".card:hover img",
        "footer a[href^=mailto]",
        "button.más"
    };
    private static final String[] ACTIONS = {"click", "scroll", "hover", "input", "visible", "copy"};

    /** Valid JSON objects for an event's "payload" field. */
    private final byte[][] sound = new byte[PAYLOADS][];

    /** The same payloads, with half of the compressed data cut off. */
    private final byte[][] truncated = new byte[PAYLOADS][];

    PayloadPool(long seed, int medianChars) {
        if (medianChars < MIN_CHARS || medianChars > MAX_CHARS) {
            throw new IllegalArgumentException(
                    "medianChars must be %d to %d: medianChars=%d".formatted(MIN_CHARS, MAX_CHARS, medianChars));
        }
        for (int i = 0; i < PAYLOADS; i++) {
            Draw draw = new Draw(seed, -1L - i);
            boolean utf16 = i % 3 == 0;
            String encoding = utf16 ? "lz-utf16" : "lz-base64";
            String text = text(draw, chars(i, draw, medianChars));
            String data = utf16 ? LzString.compressToUtf16(text) : LzString.compressToBase64(text);
            sound[i] = json(encoding, data);
            truncated[i] = json(encoding, data.substring(0, data.length() / 2));
        }
    }

    byte[] sound(int index) {
        return sound[index];
    }

    byte[] truncated(int index) {
        return truncated[index];
    }

    private static int chars(int index, Draw draw, int medianChars) {
        if (index < 2) {
            return index == 0 ? MIN_CHARS : MAX_CHARS;
        }
        double chars = medianChars * StrictMath.exp(SPREAD * draw.normal());
        return (int) Math.max(MIN_CHARS, Math.min(MAX_CHARS, chars));
    }

    /** Returns text as a page's script might collect it: a title and interactions, {@code chars} characters long. */
    private static String text(Draw draw, int chars) {
        String end = "]}";
        StringBuilder text = new StringBuilder(chars + 100)
                .append("{\"v\":3,\"title\":\"")
                .append(draw.of(TITLES))
                .append("\",\"loaded\":")
                .append(draw.below(5000))
                .append(",\"acts\":[");
        int timeMillis = 0;
        while (true) {
            timeMillis += draw.below(900);
            String act = "{\"t\":%d,\"do\":\"%s\",\"at\":\"%s\",\"x\":%d,\"y\":%d}"
                    .formatted(timeMillis, draw.of(ACTIONS), draw.of(SELECTORS), draw.below(1920), draw.below(1080));
            boolean first = text.charAt(text.length() - 1) == '[';
            if (!first && text.length() + 1 + act.length() + end.length() > chars) {
                return text.append(end).toString();
            }
            text.append(first ? "" : ",").append(act);
        }
    }

    private static byte[] json(String encoding, String data) {
        String escaped = data.replace("\\", "\\\\").replace("\"", "\\\"");
        return ("{\"encoding\":\"" + encoding + "\",\"data\":\"" + escaped + "\"}").getBytes(UTF_8);
    }
}
