package dev.weir.kafka;

/**
 * Decides whether a consumer that ends leaves its group. It holds for both group protocols, both fetch paths, and for
 * an end after a failure as well; a process that is killed says nothing to its group. Without a group it has no effect.
 */
public enum OnClose {

    /** A member with a {@code group.instance.id} remains, any other leaves: what Kafka's client does. */
    DEFAULT,

    /**
     * It leaves: other members take its partitions at once, also those of a static member. For the last stop of a
     * member that will not come back, such as a scale-down.
     */
    LEAVE,

    /**
     * It remains a member until its session is over ({@code session.timeout.ms}; with the new protocol the group's
     * {@code consumer.session.timeout.ms}): its partitions wait for it, and no other member notices a restart within
     * that time. Only a start with the same {@code group.instance.id} is the same member. Without one the classic
     * protocol keeps the partitions for nobody, and with {@code group.protocol=consumer} Kafka's client (4.4) leaves
     * all the same: a source logs that when it starts.
     */
    REMAIN
}
