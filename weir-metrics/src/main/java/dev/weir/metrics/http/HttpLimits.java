package dev.weir.metrics.http;

import java.time.Duration;

/** The limits of an {@link HttpEndpoint}. */
public final class HttpLimits {

    /**
     * The maximum number of connections. A further connection replaces the connection that has been idle longest. If
     * none is idle, it replaces the connection whose client has taken longest to read its response.
     */
    public static final int MAX_CONNECTIONS = 64;

    /** The maximum size of the request line and headers together, in bytes. */
    public static final int MAX_HEADER_BYTES = 8 * 1024;

    /** The maximum time for a request to arrive. */
    public static final Duration MAX_REQUEST = Duration.ofSeconds(10);

    /** The maximum time for a client to read a response. */
    public static final Duration MAX_RESPONSE = Duration.ofSeconds(10);

    static final int MAX_HEADERS = 64;

    /** Maximum time between two requests on a connection, longer than the usual interval of scrapes. */
    static final Duration MAX_IDLE = Duration.ofSeconds(65);

    /** Maximum size of an unread request body to skip. The connection of a longer body is closed. */
    static final int MAX_SKIPPED_BYTES = 8 * 1024;

    private HttpLimits() {}
}
