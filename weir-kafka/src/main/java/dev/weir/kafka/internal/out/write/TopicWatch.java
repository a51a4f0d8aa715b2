package dev.weir.kafka.internal.out.write;

/** Receives events about output topics from the stages that write to them. Thread-safe; no method blocks. */
public interface TopicWatch {

    /** Reports that the first record for the topic was accepted, by the brokers or by a client that knows the topic. */
    void written(String topic);

    /** Reports a sign that the topic was deleted or recreated. */
    void suspect(String topic);

    /** Returns whether a record was written to the topic in this run. */
    boolean isKnown(String topic);
}
