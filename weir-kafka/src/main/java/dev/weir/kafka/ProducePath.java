package dev.weir.kafka;

/** The implementation that writes a producer's records. */
public enum ProducePath {

    /** Kafka's own client. */
    CLIENT,

    /**
     * {@code weir-lean}, a client with its own encoder and connections. Requires brokers of Kafka 3.1 or later. It does
     * not support transactions, interceptors or custom partitioners, and never creates missing topics.
     */
    LEAN
}
