package dev.weir.kafka;

/**
 * The implementation that fetches a consumer's records. On either path, Kafka's own client handles the membership in a
 * consumer group and the commits. A share group member on the lean path does not use Kafka's client: it also joins its
 * group and acknowledges records over its own connections.
 */
public enum FetchPath {

    /** Kafka's own client. */
    CLIENT,

    /**
     * {@code weir-lean}, a client with its own connections and parser. It needs less CPU time and creates less garbage
     * per record than Kafka's client. Requires brokers of Kafka 3.1 or later. The fetch metrics of Kafka's client
     * remain empty, and a {@code ConsumerInterceptor} does not see the records.
     */
    LEAN
}
