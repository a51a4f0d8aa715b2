package dev.weir.kafka;

/**
 * The choice of a consumer to leave or keep its group when it ends. Applies to both group protocols and both fetch
 * paths, also after a failure. A killed process never leaves. Without a group it has no effect.
 */
public enum OnClose {

    /** A member with a {@code group.instance.id} stays, any other leaves, as with Kafka's client. */
    DEFAULT,

    /**
     * The member leaves. Other members take its partitions at once, even if this is a static member. For the last
     * stop of a member that will not return, such as a scale-down.
     */
    LEAVE,

    /**
     * The member stays until its session times out ({@code session.timeout.ms}; with the consumer protocol the group's
     * {@code consumer.session.timeout.ms}). Its partitions wait for it, and other members do not notice a restart
     * within that time. Only a start with the same {@code group.instance.id} is the same member. Without that id, the
     * classic protocol keeps the partitions unread until the timeout, and with {@code group.protocol=consumer} Kafka's
     * client (4.4) leaves anyway; a source logs that when it starts.
     */
    REMAIN
}
