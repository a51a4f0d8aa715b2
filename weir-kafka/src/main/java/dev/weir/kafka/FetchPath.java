package dev.weir.kafka;

/**
 * The fetcher of a consumer's records. Membership of a consumer group and commits are Kafka's own client's either
 * way; a share group's member on the lean path joins and acknowledges by itself. Constants only.
 */
public enum FetchPath {

    /** Kafka's own client. */
    CLIENT,

    /**
     * {@code weir-lean}: connections and a parser of its own, for less processor time and garbage per record. Needs
     * brokers of Kafka 3.1 or later. The client's fetch metrics stay empty, and no {@code ConsumerInterceptor} sees the
     * records.
     */
    LEAN
}
