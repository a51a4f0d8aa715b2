package dev.weir.console.internal.http;

import com.sun.net.httpserver.Headers;
import dev.weir.metrics.http.HostRule;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The console's access rules. Immutable.
 *
 * <p>Without a token, only this machine reaches the port, and the threat is a malicious page in a local browser. {@code
 * Host} must name this machine, which defeats DNS rebinding, and {@code Origin} must be the console's own. With a
 * token, every request for data must contain it. (Fetch standard, "origin"; RFC 6750 for the bearer token.)
 */
final class Access {

    private static final String BEARER = "bearer ";
    private static final HostRule LOOPBACK = HostRule.ofLoopback();

    /** The HTTP status and the reason for denying a request. */
    record Denial(int status, String reason) {}

    private final boolean loopback;
    private final byte @Nullable [] tokenHash;

    Access(boolean loopback, @Nullable String token) {
        this.loopback = loopback;
        this.tokenHash = token == null ? null : hash(token);
    }

    /**
     * Decides whether a request is allowed.
     *
     * @param open whether the resource is public, such as the page itself
     * @return the reason for a denial; null if access is granted
     */
    @Nullable
    Denial judge(Headers headers, boolean open) {
        String host = headers.getFirst("Host");
        if (host == null || !isAcceptable(host)) {
            return new Denial(403, "the Host header must name this machine: use localhost or its address");
        }
        String origin = headers.getFirst("Origin");
        if (origin != null && !isOwn(origin, host)) {
            return new Denial(403, "requests from other sites are refused");
        }
        String site = headers.getFirst("Sec-Fetch-Site");
        if (!open && site != null && !List.of("same-origin", "none").contains(site)) {
            return new Denial(403, "requests from other sites are refused");
        }
        if (!open && !hasToken(headers)) {
            return new Denial(401, "a token is demanded: Authorization: Bearer TOKEN");
        }
        return null;
    }

    /** Returns whether a page of this console sends the request. A console with a token may have a TLS proxy. */
    private boolean isOwn(String origin, String host) {
        return origin.equalsIgnoreCase("http://" + host)
                || (tokenHash != null && origin.equalsIgnoreCase("https://" + host));
    }

    /** Returns whether the host name is allowed. Only a console on loopback without a token checks it. */
    private boolean isAcceptable(String host) {
        return !loopback || tokenHash != null || LOOPBACK.accepts(host);
    }

    private boolean hasToken(Headers headers) {
        if (tokenHash == null) {
            return true;
        }
        String given = headers.getFirst("Authorization");
        // Compare hashes, so that the time reveals nothing, not even the length of the token.
        return given != null
                && given.regionMatches(true, 0, BEARER, 0, BEARER.length())
                && MessageDigest.isEqual(
                        tokenHash, hash(given.substring(BEARER.length()).strip()));
    }

    private static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) { // every JDK provides it
            throw new IllegalStateException(e);
        }
    }
}
