package dev.weir.kafka.internal.out.write;

/** Hears of output topics from those who write to them. Thread-safe; nothing here blocks. */
public interface TopicWatch {

    /** The brokers have taken a first record for it. */
    void written(String topic);

    /** Something is strange about it, as if it were gone or another one. */
    void suspect(String topic);

    /** Returns whether it was written to in this run. */
    boolean isKnown(String topic);
}
