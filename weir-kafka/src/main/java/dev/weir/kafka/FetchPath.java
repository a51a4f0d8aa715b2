package dev.weir.kafka;

/**
 * The implementation that fetches a consumer's records. On either path, Kafka's own client handles group membership and
 * commits; only a share group member on the lean path joins and acknowledges by itself. Constants only.
 */
public enum FetchPath {

    /** Kafka's own client. */
    CLIENT,

    /**
     * {@code weir-lean}: its own connections and parser, for less processor time and garbage per record. Needs brokers
     * of Kafka 3.1 or later. The client's fetch metrics stay empty, and a {@code ConsumerInterceptor} does not see the
     * records.
     */
    LEAN
}
