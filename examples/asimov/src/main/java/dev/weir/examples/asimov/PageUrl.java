package dev.weir.examples.asimov;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A web page's address, taken apart by the rules of the URL Standard. Immutable.
 *
 * @param scheme "http" or "https"
 * @param host an ASCII domain in lower case, an IPv4 address in dotted form or an IPv6 address in brackets
 * @param port {@link #DEFAULT_PORT} where the URL has its scheme's own
 * @param path percent-encoded, without dot segments, never empty
 * @param parameters of the query, in order, repeated names kept
 * @param fragment percent-encoded; null if there is none
 */
public record PageUrl(
        String scheme,
        String host,
        int port,
        String path,
        List<QueryParameter> parameters,
        @Nullable String fragment) {

    /** Stands for the port that belongs to the scheme. */
    public static final int DEFAULT_PORT = -1;

    /** Defends the list. */
    public PageUrl {
        parameters = List.copyOf(parameters);
    }

    /**
     * Parses an absolute http or https URL as a browser would. User name and password are dropped: they do not belong
     * into analytics.
     */
    public static PageUrl parse(String url) throws InvalidUrlException {
        return new PageUrlParser(url).parse();
    }
}
