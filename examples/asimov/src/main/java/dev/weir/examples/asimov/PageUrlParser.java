package dev.weir.examples.asimov;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Parses one absolute http or https URL as the URL Standard's state machine does for these schemes. Confined to the
 * thread that runs it. Each method consumes its part of the text and returns the part's value.
 */
final class PageUrlParser {
    // Characters that the standard percent-encodes, besides controls and all characters after '~'.
    private static final AsciiSet ENCODED_IN_PATH = AsciiSet.of(" \"#<>?^`{}");
    private static final AsciiSet ENCODED_IN_FRAGMENT = AsciiSet.of(" \"<>`");

    private static final AsciiSet AUTHORITY_ENDS = AsciiSet.of("/\\?#");
    private static final AsciiSet PATH_ENDS = AsciiSet.of("?#");
    private static final AsciiSet SEGMENT_ENDS = AsciiSet.of("/\\");
    private static final AsciiSet QUERY_ENDS = AsciiSet.of("#");

    private static final int MAX_PORT = 65_535;

    private final String input;
    private final String url;
    private int at;

    PageUrlParser(String input) {
        this.input = input;
        this.url = withoutNewlines(trimmed(Text.wellFormed(input)));
    }

    PageUrl parse() throws InvalidUrlException {
        String scheme = scheme();
        skipSlashes();
        int authorityEnd = endOf(AUTHORITY_ENDS, at);
        int credentialsEnd = url.lastIndexOf('@', authorityEnd - 1);
        if (credentialsEnd >= at) {
            at = credentialsEnd + 1;
        }
        int hostEnd = hostEnd(authorityEnd);
        String host;
        try {
            host = Hosts.parse(url.substring(at, hostEnd));
        } catch (InvalidUrlException e) {
            throw invalid(e.getMessage());
        }
        int port = port(hostEnd, authorityEnd, scheme.equals("https") ? 443 : 80);
        at = authorityEnd;
        String path = path();
        List<QueryParameter> parameters = FormUrlEncoded.parse(query());
        String fragment = at < url.length() ? percentEncoded(url.substring(at + 1), ENCODED_IN_FRAGMENT) : null;
        return new PageUrl(scheme, host, port, path, parameters, fragment);
    }

    private String scheme() throws InvalidUrlException {
        int colon = url.indexOf(':');
        if (colon < 0) {
            throw invalid("it has no scheme");
        }
        String scheme = url.substring(0, colon).toLowerCase(Locale.ROOT);
        if (!scheme.equals("https") && !scheme.equals("http")) {
            throw invalid("its scheme is neither http nor https");
        }
        at = colon + 1;
        return scheme;
    }

    private void skipSlashes() {
        while (at < url.length() && isSlash(url.charAt(at))) {
            at++;
        }
    }

    /** Returns the index of the first colon outside brackets, which ends the host. */
    private int hostEnd(int authorityEnd) {
        boolean inBrackets = false;
        for (int i = at; i < authorityEnd; i++) {
            char c = url.charAt(i);
            if (c == '[') {
                inBrackets = true;
            } else if (c == ']') {
                inBrackets = false;
            } else if (c == ':' && !inBrackets) {
                return i;
            }
        }
        return authorityEnd;
    }

    private int port(int colon, int end, int schemePort) throws InvalidUrlException {
        int port = 0;
        for (int i = colon + 1; i < end; i++) {
            char c = url.charAt(i);
            port = port * 10 + (c - '0');
            if (c < '0' || c > '9' || port > MAX_PORT) {
                throw invalid("its port is not a number up to " + MAX_PORT);
            }
        }
        boolean absent = colon + 1 >= end;
        return absent || port == schemePort ? PageUrl.DEFAULT_PORT : port;
    }

    private String path() {
        int end = endOf(PATH_ENDS, at);
        List<String> segments = new ArrayList<>();
        // Without a slash here, the path is empty and becomes "/".
        while (at < end) {
            int segmentEnd = Math.min(endOf(SEGMENT_ENDS, at + 1), end);
            String segment = percentEncoded(url.substring(at + 1, segmentEnd), ENCODED_IN_PATH);
            boolean last = segmentEnd == end;
            if (isDoubleDot(segment)) {
                if (!segments.isEmpty()) {
                    segments.removeLast();
                }
                if (last) {
                    segments.add("");
                }
            } else if (!isSingleDot(segment)) {
                segments.add(segment);
            } else if (last) {
                segments.add("");
            }
            at = segmentEnd;
        }
        return "/" + String.join("/", segments);
    }

    private String query() {
        if (at == url.length() || url.charAt(at) == '#') {
            return "";
        }
        int start = at + 1;
        at = endOf(QUERY_ENDS, start);
        return url.substring(start, at);
    }

    /** Returns the index of the first character in {@code ends}, from {@code from} on, or the end of the text. */
    private int endOf(AsciiSet ends, int from) {
        int i = from;
        while (i < url.length() && !ends.has(url.charAt(i))) {
            i++;
        }
        return i;
    }

    private InvalidUrlException invalid(String why) {
        return new InvalidUrlException(Text.quoted(input) + " is not the URL of a page: " + why);
    }

    private static boolean isSlash(char c) {
        return c == '/' || c == '\\';
    }

    private static boolean isSingleDot(String segment) {
        return segment.equals(".") || segment.equalsIgnoreCase("%2e");
    }

    private static boolean isDoubleDot(String segment) {
        return segment.length() <= "%2e%2e".length()
                && segment.toLowerCase(Locale.ROOT).replace("%2e", ".").equals("..");
    }

    private static String percentEncoded(String text, AsciiSet encoded) {
        for (int i = 0; i < text.length(); i++) {
            if (isEncoded(text.charAt(i), encoded)) {
                return percentEncodedFrom(i, text, encoded);
            }
        }
        return text;
    }

    private static String percentEncodedFrom(int first, String text, AsciiSet encoded) {
        StringBuilder out = new StringBuilder(text.length() + 16).append(text, 0, first);
        for (byte b : text.substring(first).getBytes(UTF_8)) {
            if (isEncoded((char) (b & 0xff), encoded)) {
                out.append('%').append(hexDigit(b >> 4)).append(hexDigit(b));
            } else {
                out.append((char) b);
            }
        }
        return out.toString();
    }

    private static char hexDigit(int nibble) {
        return "0123456789ABCDEF".charAt(nibble & 0xf);
    }

    private static boolean isEncoded(char c, AsciiSet encoded) {
        return c < ' ' || c > '~' || encoded.has(c);
    }

    private static String trimmed(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && text.charAt(start) <= ' ') {
            start++;
        }
        while (end > start && text.charAt(end - 1) <= ' ') {
            end--;
        }
        return text.substring(start, end);
    }

    private static String withoutNewlines(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n' || c == '\r' || c == '\t') {
                return text.replace("\n", "").replace("\r", "").replace("\t", "");
            }
        }
        return text;
    }
}
