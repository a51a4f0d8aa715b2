package dev.weir.metrics.http;

import java.time.Duration;

/** The limits of an {@link HttpEndpoint}. */
public final class HttpLimits {

    /**
     * The maximum number of connections. One more connection replaces the connection that has waited longest for a
     * request. If no connection waits for a request, it replaces the connection that has waited longest for its client
     * to read a response.
     */
    public static final int MAX_CONNECTIONS = 64;

    /** The maximum size of the request line and headers together, in bytes. */
    public static final int MAX_HEADER_BYTES = 8 * 1024;

    /** The maximum time for a request to arrive. */
    public static final Duration MAX_REQUEST = Duration.ofSeconds(10);

    /** The maximum time for a client to read a response. */
    public static final Duration MAX_RESPONSE = Duration.ofSeconds(10);

    static final int MAX_HEADERS = 64;

    /** The maximum time between two requests on a connection. It is longer than the usual scrape interval. */
    static final Duration MAX_IDLE = Duration.ofSeconds(65);

    /**
     * The maximum size of the unread rest of a request body that is skipped before the next request. If the rest is
     * longer, the connection is closed.
     */
    static final int MAX_SKIPPED_BYTES = 8 * 1024;

    private HttpLimits() {}
}
