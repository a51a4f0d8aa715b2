package dev.weir.kafka;

/** The implementation that writes a producer's records. Constants only. */
public enum ProducePath {

    /** Kafka's own client. */
    CLIENT,

    /**
     * {@code weir-lean}: its own encoding and connections. Needs brokers of Kafka 3.1 or later. It has no transactions,
     * interceptors or custom partitioners, and never creates missing topics, even if the brokers would.
     */
    LEAN
}
