package dev.weir.kafka;

/** The writer of a producer's records. Constants only. */
public enum ProducePath {

    /** Kafka's own client. */
    CLIENT,

    /**
     * {@code weir-lean}: encoding and connections of its own. Needs
     * brokers of Kafka 3.1 or later. It knows no transactions, no interceptors and no partitioner of one's own; missing
     * topics are not created, even if the brokers would.
     */
    LEAN
}
