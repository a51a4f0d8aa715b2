package dev.weir.checks.integration;

/** An event of {@link WriteMatrixTest}: a fault of a record, a topic, a client or the brokers, or the end of a run. */
enum WriteEvent {
    /** The topic is compacted and refuses a record without a key, together with its batch. */
    RECORD_REFUSED,
    /** The value serializer throws for one record. */
    UNSERIALISABLE,
    /** One record is larger than {@code max.request.size}. */
    TOO_LARGE_FOR_CLIENT,
    /** One record is larger than {@code max.message.bytes} of the topic. */
    TOO_LARGE_FOR_BROKER,
    /** One record is too large for the brokers, in a batch with others. Kafka's client splits this batch endlessly. */
    TOO_LARGE_WITHIN_BATCH,
    /** Each record fits, but a batch of {@code batch.size} bytes is larger than {@code max.message.bytes}. */
    TOO_LARGE_FOR_BATCH,
    /** The record's topic does not exist. */
    TOPIC_MISSING,
    /** The user lacks WRITE permission on the record's topic. */
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

    /** Returns whether the event disturbs the network to the brokers. */
    boolean isOfNetwork() {
        return this == TIMEOUT || this == BROKER_LOST || this == CANCELLED;
    }

    /** Returns whether the record at fault has a separate topic. */
    boolean hasOwnTopic() {
        return this == TOPIC_MISSING || this == TOPIC_FORBIDDEN;
    }

    /** Returns whether the event prevents writes of one record or to one topic. */
    boolean isOfOneRecord() {
        return compareTo(TOPIC_FORBIDDEN) <= 0 && this != TOO_LARGE_FOR_BATCH;
    }
}
