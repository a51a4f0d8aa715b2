package dev.weir.metrics.http;

import java.time.Duration;
import java.util.Map;

/**
 * The limits of the JDK's HTTP server. They are system properties, of the whole JVM, that the server reads once; one
 * that is set already stays as it is. How long a response may take is not among them, as it would end streams of
 * events: see {@link ResponseDeadline}.
 */
public final class HttpLimits {

    /** Connections at once; one more is closed at once. */
    public static final int MAX_CONNECTIONS = 64;

    /** Request line and headers of a request together. */
    public static final int MAX_HEADER_BYTES = 8 * 1024;

    /** A response must be read within so long. */
    public static final Duration MAX_RESPONSE = Duration.ofSeconds(10);

    private static final int MAX_HEADERS = 64;

    /** A request must be there within so long. */
    private static final int MAX_REQUEST_SECONDS = 10;

    /** Longer than the usual interval of scrapes. */
    private static final int IDLE_SECONDS = 65;

    /** What is read of a body that nobody asked for, before the connection is closed. */
    private static final int MAX_BODY_BYTES = 8 * 1024;

    private static final Map<String, Integer> PROPERTIES = Map.of(
            "jdk.httpserver.maxConnections", MAX_CONNECTIONS,
            "sun.net.httpserver.maxReqHeaderSize", MAX_HEADER_BYTES,
            "sun.net.httpserver.maxReqHeaders", MAX_HEADERS,
            "sun.net.httpserver.maxReqTime", MAX_REQUEST_SECONDS,
            "sun.net.httpserver.idleInterval", IDLE_SECONDS,
            "sun.net.httpserver.drainAmount", MAX_BODY_BYTES);

    private HttpLimits() {}

    /** Before the first server is made. */
    static void set() {
        PROPERTIES.forEach((name, value) -> System.getProperties().putIfAbsent(name, Integer.toString(value)));
        System.getProperties().putIfAbsent("sun.net.httpserver.nodelay", "true");
    }
}
