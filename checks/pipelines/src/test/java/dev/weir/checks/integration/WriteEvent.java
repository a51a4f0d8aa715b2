package dev.weir.checks.integration;

/** An event of {@link WriteMatrixTest}: a fault of a record, a topic, a client or the brokers, or the end of a run. */
enum WriteEvent {
    /** The brokers refuse one record, and with it its batch: the topic is compacted, and the record has no key. */
    RECORD_REFUSED,
    /** The value serializer throws for one record. */
    UNSERIALISABLE,
    /** One record is larger than {@code max.request.size}. */
    TOO_LARGE_FOR_CLIENT,
    /** One record is larger than {@code max.message.bytes} of the topic. */
    TOO_LARGE_FOR_BROKER,
    /**
     * A record too large for the brokers, in a batch with others. Kafka's client splits such a batch endlessly.
     */
    TOO_LARGE_WITHIN_BATCH,
    /** Each record fits, but a batch of {@code batch.size} bytes is larger than {@code max.message.bytes}. */
    TOO_LARGE_FOR_BATCH,
    /** The topic of one record does not exist. If all records go to one topic, that topic does not exist. */
    TOPIC_MISSING,
    /**
     * The user may not write to the topic of one record. If all records go to one topic, the user may not write to it.
     */
    TOPIC_FORBIDDEN,
    /** The topic is deleted between two records. */
    TOPIC_DELETED,
    /** The topic is deleted and created again between two records. */
    TOPIC_RECREATED,
    /** The brokers do not answer for longer than {@code delivery.timeout.ms}. */
    TIMEOUT,
    /** The connections to the brokers break for a while. */
    BROKER_LOST,
    /** An administrator fences the transactional id. */
    FENCED,
    /** An {@link Error} ends the thread of Kafka's client. */
    CLIENT_DEAD,
    /** Another pipeline on the same producer sends a record that the brokers refuse. */
    NEIGHBOUR_REFUSED,
    /** The run is cancelled while the brokers do not answer. */
    CANCELLED,
    /** The run is drained with records in flight. */
    DRAINED;

    /** Returns whether the pipeline writes through a network that the event disturbs. */
    boolean isOfNetwork() {
        return this == TIMEOUT || this == BROKER_LOST || this == CANCELLED;
    }

    /** Returns whether the record at fault has a separate topic. */
    boolean hasOwnTopic() {
        return this == TOPIC_MISSING || this == TOPIC_FORBIDDEN;
    }

    /** Returns whether the event makes it impossible to write one record, or to one topic. */
    boolean isOfOneRecord() {
        return compareTo(TOPIC_FORBIDDEN) <= 0 && this != TOO_LARGE_FOR_BATCH;
    }
}
