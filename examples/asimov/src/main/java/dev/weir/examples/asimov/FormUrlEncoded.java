package dev.weir.examples.asimov;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Parses {@code application/x-www-form-urlencoded} text as the URL Standard defines it. Any input is valid.
 * Thread-safe.
 */
public final class FormUrlEncoded {

    private FormUrlEncoded() {}

    /** Returns the parameters of {@code query} (without its '?') in order, including empty names and values. */
    public static List<QueryParameter> parse(String query) {
        String text = Text.wellFormed(query);
        List<QueryParameter> parameters = new ArrayList<>();
        int start = 0;
        while (start < text.length()) {
            int end = indexOf(text, '&', start, text.length());
            if (end > start) {
                int equals = indexOf(text, '=', start, end);
                String name = decode(text, start, equals);
                String value = equals == end ? "" : decode(text, equals + 1, end);
                parameters.add(new QueryParameter(name, value));
            }
            start = end + 1;
        }
        return parameters;
    }

    private static int indexOf(String text, char c, int start, int end) {
        int index = text.indexOf(c, start, end);
        return index < 0 ? end : index;
    }

    private static String decode(String text, int start, int end) {
        for (int i = start; i < end; i++) {
            char c = text.charAt(i);
            if (c == '+' || c == '%') {
                return percentDecode(text.substring(start, end).replace('+', ' '));
            }
        }
        return text.substring(start, end);
    }

    /** Decodes every valid %XX of a text without lone surrogates. Bytes that are not UTF-8 become U+FFFD. */
    static String percentDecode(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        byte[] bytes = text.getBytes(UTF_8);
        int length = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '%' && i + 2 < bytes.length && isHex(bytes[i + 1]) && isHex(bytes[i + 2])) {
                bytes[length++] =
                        (byte) (HexFormat.fromHexDigit(bytes[i + 1]) << 4 | HexFormat.fromHexDigit(bytes[i + 2]));
                i += 2;
            } else {
                bytes[length++] = bytes[i];
            }
        }
        for (int i = 0; i + 1 < length; i++) {
            // These bytes encode a surrogate. The standard requires one U+FFFD per byte, but Java writes a single one.
            if (bytes[i] == (byte) 0xED && (bytes[i + 1] & 0xff) >= 0xA0) {
                bytes[i] = (byte) 0xFF;
            }
        }
        return new String(bytes, 0, length, UTF_8);
    }

    private static boolean isHex(byte b) {
        return HexFormat.isHexDigit(b);
    }
}
