package dev.weir.metrics.http;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks the {@code Host} header to prevent DNS rebinding. If a web page makes a browser connect to this port, the
 * header contains the name of the page's site, and the request is rejected. Immutable.
 */
public final class HostRule {

    private static final Pattern V4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");

    /** A name with an underscore, as Docker Compose gives. RFC 3986 permits it, but {@link URI#getHost} does not. */
    private static final Pattern UNDERSCORED = Pattern.compile("([0-9A-Za-z.-]*_[0-9A-Za-z._-]*)(:[0-9]{0,5})?");

    private final boolean addresses;
    private final List<String> names;

    private HostRule(boolean addresses, List<String> names) {
        this.addresses = addresses;
        this.names = names;
    }

    /** Creates a rule that accepts only loopback names and addresses. */
    public static HostRule ofLoopback() {
        return new HostRule(false, List.of());
    }

    /**
     * Creates a rule that accepts the names of this machine, the given names, and all IP addresses. Probes and scrapers
     * usually connect to an IP address.
     *
     * @param names case-insensitive names; {@code *.example.com} matches each name that ends with {@code .example.com}
     */
    public static HostRule ofAddresses(Collection<String> names) {
        return new HostRule(
                true, names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList());
    }

    /** Rejects a name that is not valid in a {@code Host} header. */
    public static String checkName(String name) {
        String bare = name.startsWith("*.") ? name.substring(2) : name;
        if (hostOf(bare).isEmpty() || bare.indexOf(':') >= 0 || bare.indexOf('/') >= 0) {
            throw new IllegalArgumentException(
                    "a name of this server must be as in a URL, without a port, such as weir.example.com or"
                            + " *.example.com: " + name);
        }
        return name;
    }

    /**
     * Returns whether the {@code Host} header is allowed.
     *
     * @param header {@code HOST[:PORT]}, or null if the request has none
     */
    public boolean accepts(@Nullable String header) {
        if (header == null) {
            return addresses; // No browser omits the header.
        }
        String host = hostOf(header);
        return isLoopback(host)
                || (addresses && (isAddress(host) || names.stream().anyMatch(name -> matches(name, host))))
                || (addresses && !host.isEmpty() && host.equals(OwnName.NAME));
    }

    private static String hostOf(String header) {
        Matcher underscored = UNDERSCORED.matcher(header);
        if (underscored.matches()) {
            return underscored.group(1).toLowerCase(Locale.ROOT);
        }
        try {
            String host = URI.create("http://" + header).getHost();
            return host == null ? "" : host.toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    private static boolean isLoopback(String host) {
        return host.equals("localhost")
                || host.equals("[::1]")
                || host.matches("127(\\.[0-9]{1,3}){3}")
                || host.equals(InetAddress.getLoopbackAddress().getHostName());
    }

    private static boolean isAddress(String host) {
        return host.startsWith("[") || V4.matcher(host).matches();
    }

    private static boolean matches(String name, String host) {
        return name.startsWith("*.") ? host.endsWith(name.substring(1)) : host.equals(name);
    }

    /** Name of this machine, looked up on first use, because the lookup may be slow. */
    private static final class OwnName {

        static final String NAME = find();

        private static String find() {
            try {
                return InetAddress.getLocalHost().getHostName().toLowerCase(Locale.ROOT);
            } catch (UnknownHostException e) {
                return "localhost";
            }
        }
    }
}
