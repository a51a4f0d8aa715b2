package dev.weir.console.internal.http;

import com.sun.net.httpserver.Headers;
import dev.weir.metrics.http.HostRule;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The access rules of the console. Immutable.
 *
 * <p>Without a token only this machine can reach the port, so the threat is a foreign page in a local browser:
 * {@code Host} must name this machine, which defeats DNS rebinding, and {@code Origin} must be the console's own. With
 * a token each request for data must carry it. (Fetch standard, "origin"; RFC 6750 for the bearer token.)
 */
final class Access {

    private static final String BEARER = "bearer ";
    private static final HostRule LOOPBACK = HostRule.ofLoopback();

    /** The reason why a request is not answered: an HTTP status and a sentence. */
    record Denial(int status, String reason) {}

    private final boolean loopback;
    private final byte @Nullable [] tokenHash;

    Access(boolean loopback, @Nullable String token) {
        this.loopback = loopback;
        this.tokenHash = token == null ? null : hash(token);
    }

    /**
     * Judges a request.
     *
     * @param open whether the resource is public, such as the page itself
     * @return null if access is granted
     */
    @Nullable
    Denial judge(Headers headers, boolean open) {
        String host = headers.getFirst("Host");
        if (host == null || !isAcceptable(host)) {
            return new Denial(403, "the Host header must name this machine: use localhost or its address");
        }
        String origin = headers.getFirst("Origin");
        if (origin != null && !origin.equalsIgnoreCase("http://" + host)) {
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

    /** Returns whether the host name is acceptable; with a token any name is. */
    private boolean isAcceptable(String host) {
        return !loopback || LOOPBACK.accepts(host);
    }

    private boolean hasToken(Headers headers) {
        if (tokenHash == null) {
            return true;
        }
        String given = headers.getFirst("Authorization");
        // Compares hashes, so that timing does not even reveal the length of the token.
        return given != null
                && given.regionMatches(true, 0, BEARER, 0, BEARER.length())
                && MessageDigest.isEqual(
                        tokenHash, hash(given.substring(BEARER.length()).strip()));
    }

    private static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) { // Every JDK provides it.
            throw new IllegalStateException(e);
        }
    }
}
