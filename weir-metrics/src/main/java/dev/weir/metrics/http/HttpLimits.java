package dev.weir.metrics.http;

import java.time.Duration;

/** The limits of an {@link HttpEndpoint}. */
public final class HttpLimits {

    /**
     * Largest number of connections. One more replaces the one that has waited longest for a request, or else for its
     * reader.
     */
    public static final int MAX_CONNECTIONS = 64;

    /** Largest total size of request line and headers, in bytes. */
    public static final int MAX_HEADER_BYTES = 8 * 1024;

    /** Longest time for a request to arrive. */
    public static final Duration MAX_REQUEST = Duration.ofSeconds(10);

    /** Longest time for a response to be read. */
    public static final Duration MAX_RESPONSE = Duration.ofSeconds(10);

    static final int MAX_HEADERS = 64;

    /** Longest time between two requests of a connection. Longer than the usual interval of scrapes. */
    static final Duration MAX_IDLE = Duration.ofSeconds(65);

    /** Largest unread rest of a request body to skip before the next request; a longer rest closes the connection. */
    static final int MAX_SKIPPED_BYTES = 8 * 1024;

    private HttpLimits() {}
}
