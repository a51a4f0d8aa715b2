package dev.weir.kafka;

/**
 * Determines whether a consumer leaves its group when it ends. Applies to both group protocols and both fetch paths,
 * even after a failure. A process that is killed never leaves the group. The setting has no effect without a group.
 */
public enum OnClose {

    /** A member with a {@code group.instance.id} stays and any other member leaves, as with Kafka's client. */
    DEFAULT,

    /**
     * The member leaves. Other members receive its partitions immediately, even if this is a static member. Use it for
     * the last stop of a member that will not return, for example when scaling down.
     */
    LEAVE,

    /**
     * The member stays in the group until its session times out ({@code session.timeout.ms}; with the consumer
     * protocol, the group's {@code consumer.session.timeout.ms}). Until then, its partitions remain assigned to it, so
     * other members do not notice a restart that takes less time. A restarted process rejoins as the same member only
     * if it uses the same {@code group.instance.id}. If no such id is set, the classic protocol leaves the partitions
     * unread until the timeout. With {@code group.protocol=consumer}, Kafka's client (4.4) leaves the group anyway if
     * no such id is set, and the source logs this when it starts.
     */
    REMAIN
}
