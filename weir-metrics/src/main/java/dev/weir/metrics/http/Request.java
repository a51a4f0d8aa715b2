package dev.weir.metrics.http;

import com.sun.net.httpserver.Headers;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The request line and headers of a request (RFC 9112). Immutable, except for the headers.
 *
 * @param bodyBytes the length of the body that follows, or 0 if there is none
 */
record Request(String method, URI target, String version, Headers headers, long bodyBytes) {

    private static final Pattern METHOD = Pattern.compile("[A-Z]{1,20}");
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");
    private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7e\\x80-\\xff]*");

    /** Parses a request line and one line per header, without line terminators. */
    static Request of(List<String> lines) throws RequestException {
        String[] parts = lines.getFirst().split(" ", -1);
        if (parts.length != 3 || !METHOD.matcher(parts[0]).matches()) {
            throw new RequestException(400, "this is not an HTTP/1.1 request");
        }
        if (!parts[2].equals("HTTP/1.1") && !parts[2].equals("HTTP/1.0")) {
            throw new RequestException(505, "only HTTP/1.1 and HTTP/1.0 are supported");
        }
        Headers headers = new Headers();
        for (String line : lines.subList(1, lines.size())) {
            add(headers, line);
        }
        List<String> hosts = headers.getOrDefault("Host", List.of());
        if (hosts.size() > 1 || (hosts.isEmpty() && parts[2].equals("HTTP/1.1"))) {
            throw new RequestException(400, "a request has one Host header");
        }
        return new Request(parts[0], target(parts[1]), parts[2], headers, bodyBytes(headers));
    }

    private static void add(Headers headers, String line) throws RequestException {
        int colon = line.indexOf(':');
        String name = colon < 0 ? "" : line.substring(0, colon);
        String value = line.substring(colon + 1).strip();
        if (!NAME.matcher(name).matches() || !VALUE.matcher(value).matches()) {
            throw new RequestException(400, "a header is NAME: VALUE on one line");
        }
        headers.add(name, value);
    }

    private static URI target(String text) throws RequestException {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw new RequestException(400, "the requested path is invalid");
        }
    }

    private static long bodyBytes(Headers headers) throws RequestException {
        if (headers.containsKey("Transfer-Encoding")) {
            throw new RequestException(411, "a body needs its Content-Length");
        }
        List<String> lengths = headers.getOrDefault("Content-Length", List.of());
        if (lengths.isEmpty()) {
            return 0;
        }
        if (lengths.size() > 1 || !LENGTH.matcher(lengths.getFirst()).matches()) {
            throw new RequestException(400, "Content-Length is one number");
        }
        return Long.parseLong(lengths.getFirst());
    }

    /** Returns whether the client keeps the connection open for another request. */
    boolean keepsOpen() {
        return version.equals("HTTP/1.1")
                && headers.getOrDefault("Connection", List.of()).stream()
                        .noneMatch(value -> value.toLowerCase(Locale.ROOT).contains("close"));
    }

    /** Returns whether the client waits for {@code 100 Continue} before it sends the body. */
    boolean expectsContinue() {
        return version.equals("HTTP/1.1") && "100-continue".equalsIgnoreCase(headers.getFirst("Expect"));
    }
}
