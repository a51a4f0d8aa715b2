package dev.weir.metrics;

import java.util.Map;

/**
 * The limits of the JDK's HTTP server. They are system properties, of the whole JVM, that the server reads once; one
 * that is set already stays as it is.
 */
final class HttpLimits {

    /** Connections at once; one more is closed at once. */
    static final int MAX_CONNECTIONS = 64;

    /** Request line and headers of a request together. */
    static final int MAX_HEADER_BYTES = 8 * 1024;

    static final int MAX_HEADERS = 64;

    /** A request must be there, and a response read, within so long. */
    static final int MAX_EXCHANGE_SECONDS = 10;

    /** Longer than the usual interval of scrapes. */
    static final int IDLE_SECONDS = 65;

    /** What is read of a body that nobody asked for, before the connection is closed. */
    static final int MAX_BODY_BYTES = 8 * 1024;

    private static final Map<String, Integer> PROPERTIES = Map.of(
            "jdk.httpserver.maxConnections", MAX_CONNECTIONS,
            "sun.net.httpserver.maxReqHeaderSize", MAX_HEADER_BYTES,
            "sun.net.httpserver.maxReqHeaders", MAX_HEADERS,
            "sun.net.httpserver.maxReqTime", MAX_EXCHANGE_SECONDS,
            "sun.net.httpserver.maxRspTime", MAX_EXCHANGE_SECONDS,
            "sun.net.httpserver.idleInterval", IDLE_SECONDS,
            "sun.net.httpserver.drainAmount", MAX_BODY_BYTES);

    private HttpLimits() {}

    /** Before the first server is made. */
    static void set() {
        PROPERTIES.forEach((name, value) -> System.getProperties().putIfAbsent(name, Integer.toString(value)));
        System.getProperties().putIfAbsent("sun.net.httpserver.nodelay", "true");
    }
}
