package dev.weir.kafka.internal.out.write;

/** Receives events of output topics from the stages that write to them. Thread-safe; no method blocks. */
public interface TopicWatch {

    /** Reports that the brokers accepted a first record for the topic. */
    void written(String topic);

    /** Reports a sign that the topic may be deleted or recreated. */
    void suspect(String topic);

    /** Returns whether the topic was written to in this run. */
    boolean isKnown(String topic);
}
