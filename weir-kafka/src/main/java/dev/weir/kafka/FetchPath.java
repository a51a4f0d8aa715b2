package dev.weir.kafka;

/**
 * The implementation that fetches a consumer's records. On either path, Kafka's own client handles group membership and
 * commits, except for a share group member on the lean path: it joins its group and acknowledges records without
 * Kafka's client.
 */
public enum FetchPath {

    /** Kafka's own client. */
    CLIENT,

    /**
     * {@code weir-lean}, which has its own connections and parser, and needs less CPU time and creates less garbage per
     * record. Requires brokers of Kafka 3.1 or later. The client's fetch metrics remain empty, and a
     * {@code ConsumerInterceptor} does not see the records.
     */
    LEAN
}
