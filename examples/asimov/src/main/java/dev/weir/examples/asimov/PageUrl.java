package dev.weir.examples.asimov;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A web page's address, parsed by the rules of the URL Standard. Immutable.
 *
 * @param scheme "http" or "https"
 * @param host an ASCII domain in lower case, an IPv4 address in dotted form or an IPv6 address in brackets
 * @param port {@link #DEFAULT_PORT} if the URL uses the default port of its scheme
 * @param path percent-encoded, without dot segments, never empty
 * @param parameters parameters of the query, in order, including repeated names
 * @param fragment percent-encoded; null if there is none
 */
public record PageUrl(
        String scheme,
        String host,
        int port,
        String path,
        List<QueryParameter> parameters,
        @Nullable String fragment) {

    /** Represents the default port of the scheme. */
    public static final int DEFAULT_PORT = -1;

    /** Copies the list. */
    public PageUrl {
        parameters = List.copyOf(parameters);
    }

    /**
     * Parses an absolute http or https URL as a browser would. Drops user name and password, because they do not belong
     * in analytics.
     */
    public static PageUrl parse(String url) throws InvalidUrlException {
        return new PageUrlParser(url).parse();
    }
}
