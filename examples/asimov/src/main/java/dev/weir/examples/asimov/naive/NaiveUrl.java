package dev.weir.examples.asimov.naive;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.examples.asimov.PageUrl;
import dev.weir.examples.asimov.QueryParameter;
import java.net.IDN;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Parses an address with {@link URI}, and with string functions where {@link URI} does not suffice. Thread-safe. */
final class NaiveUrl {

    private NaiveUrl() {}

    /**
     * Parses an absolute http or https URL.
     *
     * @throws URISyntaxException if the URL is invalid; the reason is worded as in {@link PageUrl#parse}
     */
    static PageUrl parse(String url) throws URISyntaxException {
        URI uri;
        try {
            uri = new URI(url).normalize();
        } catch (URISyntaxException e) {
            boolean host = e.getReason().contains("authority") || e.getReason().contains("host");
            throw new URISyntaxException(url, (host ? "its host" : "it") + " has a forbidden character");
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https")) {
            throw new URISyntaxException(
                    url, scheme.isEmpty() ? "it has no scheme" : "its scheme is neither http nor https");
        }
        if (uri.getRawAuthority() == null) {
            throw new URISyntaxException(url, "it has no host");
        }
        // URI supports only ASCII hosts and ports, so an international name is split by hand.
        String[] hostAndPort = uri.getRawAuthority()
                .substring(uri.getRawAuthority().indexOf('@') + 1)
                .split(":(?=[0-9]*$)", 2);
        int port = hostAndPort.length == 1 || hostAndPort[1].isEmpty() ? -1 : Integer.parseInt(hostAndPort[1]);
        // URI leaves characters outside ASCII unchanged.
        URI ascii = new URI(uri.toASCIIString());
        return new PageUrl(
                scheme,
                IDN.toASCII(hostAndPort[0], IDN.ALLOW_UNASSIGNED).toLowerCase(Locale.ROOT),
                port == (scheme.equals("https") ? 443 : 80) ? PageUrl.DEFAULT_PORT : port,
                ascii.getRawPath().isEmpty() ? "/" : ascii.getRawPath(),
                parameters(uri.getRawQuery()),
                ascii.getRawFragment());
    }

    private static List<QueryParameter> parameters(@Nullable String query) {
        List<QueryParameter> parameters = new ArrayList<>();
        if (query != null) {
            for (String pair : query.split("&", -1)) {
                if (!pair.isEmpty()) {
                    String[] nameAndValue = pair.split("=", 2);
                    parameters.add(new QueryParameter(
                            URLDecoder.decode(nameAndValue[0], UTF_8),
                            nameAndValue.length == 1 ? "" : URLDecoder.decode(nameAndValue[1], UTF_8)));
                }
            }
        }
        return parameters;
    }
}
